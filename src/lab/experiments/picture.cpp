// A picture made brighter by a grid of two-dimensional blocks: the user's PNG file or one that is made here, checked
// value by value against the host.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "lab/experiments/direct.hpp"
#include "lab/experiments/experiment.hpp"
#include "lab/page/ladder_page.hpp"
#include "lab/page/sentence_figures.hpp"
#include "values/png.hpp"

namespace warpwright::lab::pages {
namespace {

using record::Basis;

/// 76 x 62 pixels, the text's size: a dark landscape with a bright sun, so that some values reach the limit.
values::Picture made_picture(std::uint32_t width, std::uint32_t height) {
    values::Picture p;
    p.width = width;
    p.height = height;
    p.values.reserve(std::size_t{width} * height * 3);
    for (std::uint32_t y = 0; y < height; ++y)
        for (std::uint32_t x = 0; x < width; ++x) {
            const double u = (x + 0.5) / width, v = (y + 0.5) / height;
            const double hill = 0.62 + 0.1 * std::sin(7 * u) + 0.05 * std::sin(19 * u + 1);
            const double sun = std::exp(-60 * ((u - 0.72) * (u - 0.72) + (v - 0.28) * (v - 0.28)));
            double c[3] = {40 + 50 * v + 200 * sun, 45 + 40 * v + 170 * sun, 95 - 30 * v + 60 * sun};
            if (v > hill) {
                const double depth = (v - hill) / (1 - hill);
                c[0] = 25 + 20 * depth;
                c[1] = 60 - 25 * depth;
                c[2] = 30;
            }
            for (double value : c) p.values.push_back(static_cast<std::uint8_t>(std::clamp(value, 0.0, 255.0)));
        }
    return p;
}

/// What the kernel is to make of a value; the same operations in float, so that rounding is the same.
std::uint8_t scaled(std::uint8_t value, float factor) {
    const float result = factor * static_cast<float>(value);
    return result < 255.0f ? static_cast<std::uint8_t>(result + 0.5f) : 255;
}

/// Brightness, in no more than about 40 columns.
record::CellMap draw(const values::Picture& p, std::string id, const std::string& title) {
    record::CellMap map{std::move(id), title};
    const std::uint32_t step = std::max<std::uint32_t>(1, (std::max(p.width, p.height * 2) + 39) / 40);
    for (std::uint32_t y = 0; y < p.height; y += step) {
        std::vector<record::Cell>& row = map.rows.emplace_back();
        for (std::uint32_t x = 0; x < p.width; x += step) {
            double sum = 0;
            std::size_t values = 0;
            for (std::uint32_t j = y; j < std::min(y + step, p.height); ++j)
                for (std::uint32_t i = x; i < std::min(x + step, p.width); ++i)
                    for (std::uint32_t c = 0; c < p.channels; ++c, ++values)
                        sum += p.values[(std::size_t{j} * p.width + i) * p.channels + c];
            row.push_back({"", -1, sum / (255.0 * static_cast<double>(values))});
        }
    }
    return map;
}

record::Series histogram(const values::Picture& p, const std::string& name, Basis basis) {
    record::Series s{name, {}, std::vector<double>(32), {}, basis};
    for (std::uint8_t value : p.values) s.y[value / 8] += 1;
    for (int i = 0; i < 32; ++i) s.x.push_back(8 * i + 4);
    return s;
}

}  // namespace

Result<record::Page> picture(const Context& context, const Words& words, const Choices& choices) {
    const float factor = 2.0f;
    values::Picture in = made_picture(76, 62);
    if (choices.input) {
        auto read = values::read_png(*choices.input);
        if (!read) return std::move(read).error();
        in = std::move(*read);
    }
    auto kernel = load_kernel(context, "kernels/picture/01_scale.cu", "picture_scale");
    if (!kernel) return std::move(kernel).error();
    auto from = DeviceMemory::of(context.device, in.values);
    if (!from) return std::move(from).error();
    auto to = DeviceMemory::make(context.device, in.values.size(), 0xcd);
    if (!to) return std::move(to).error();
    const device::Dim3 block{16, 16, 1}, grid{(in.width + 15) / 16, (in.height + 15) / 16, 1};
    auto launched = launch(context, *kernel, {grid, block},
                           {from->address(), to->address(), std::int64_t{in.width}, std::int64_t{in.height},
                            std::int64_t{in.channels}, double{factor}},
                           "picture");
    if (!launched) return std::move(launched).error();
    auto values = to->read<std::uint8_t>();
    if (!values) return std::move(values).error();
    values::Picture out = in;
    out.values = std::move(*values);
    std::int64_t wrong = 0, full = 0;
    for (std::size_t i = 0; i < in.values.size(); ++i) {
        wrong += out.values[i] != scaled(in.values[i], factor);
        full += out.values[i] == 255 && in.values[i] != 255;
    }
    launched->record.verified = wrong == 0;
    launched->record.axes = {{"width", std::int64_t{in.width}},
                             {"height", std::int64_t{in.height}},
                             {"channels", std::int64_t{in.channels}}};
    if (choices.output) {
        if (auto ok = values::write_png(*choices.output, out); !ok) return std::move(ok).error();
    }

    // The kernel by block shape, at a size of its own: there the counts speak.
    Choices ladder = choices;
    if (ladder.sizes.empty()) ladder.sizes = {{choices.quick ? 512 : 1920, choices.quick ? 384 : 1080}};
    auto run = run_for_page(context, "picture", ladder);
    if (!run) return std::move(run).error();
    auto made = ladder_page(context, words, *run, "picture", ladder);
    if (!made) return std::move(made).error();
    record::Page page = std::move(*made);
    page.title = words("picture.title");
    page.purpose = words("picture.purpose");
    page.task = words("picture.task");
    page.sources = {"000"};
    if (choices.input) page.repeat.front() += " --input " + *choices.input;

    record::Section section{words("picture.heading.picture"), {}};
    const std::int64_t threads = static_cast<std::int64_t>(grid.count() * block.count());
    section.blocks.emplace_back(record::Paragraph{
        words(choices.input ? "picture.text.read" : "picture.text.made", {{"file", choices.input.value_or("")},
                                                                          {"width", std::int64_t{in.width}},
                                                                          {"height", std::int64_t{in.height}},
                                                                          {"channels", std::int64_t{in.channels}}})});
    section.blocks.emplace_back(draw(in, "before", words("picture.map.before")));
    section.blocks.emplace_back(draw(out, "after", words("picture.map.after", {{"factor", double{factor}}})));
    section.blocks.emplace_back(
        record::Plot{"histogram",
                     words("picture.plot.histogram"),
                     record::Plot::Kind::line,
                     words("picture.axis.value"),
                     words("picture.axis.pixels"),
                     false,
                     false,
                     {},
                     {histogram(in, words("picture.map.before"), Basis::counted),
                      histogram(out, words("picture.map.after", {{"factor", double{factor}}}), Basis::counted)}});
    page.sections.insert(page.sections.begin(), std::move(section));

    std::vector<std::string> first;
    const auto share = [&](std::int64_t part) {
        return 100.0 * static_cast<double>(part) / static_cast<double>(in.values.size());
    };
    if (wrong == 0)
        first.push_back(
            words("picture.conclusion.verified", {{"values", static_cast<std::int64_t>(in.values.size())}}));
    else
        page.problems.push_back(words("picture.problem.wrong",
                                      {{"wrong", wrong}, {"values", static_cast<std::int64_t>(in.values.size())}}));
    first.push_back(words("picture.conclusion.grid", {{"grid", fmt::format("{} x {}", grid.x, grid.y)},
                                                      {"threads", threads},
                                                      {"wasted", threads - std::int64_t{in.width} * in.height}}));
    if (full > 0) first.push_back(words("picture.conclusion.full", {{"values", full}, {"share", share(full)}}));
    if (choices.output) first.push_back(words("picture.conclusion.written", {{"file", *choices.output}}));
    page.conclusions.insert(page.conclusions.begin(), first.begin(), first.end());
    launched->record.lines.clear();
    page.records.push_back(std::move(launched->record));
    return page;
}

}  // namespace warpwright::lab::pages
