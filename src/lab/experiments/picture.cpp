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

std::string base64(const std::string& bytes) {
    static constexpr char kLetters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        std::uint32_t word = 0;
        for (std::size_t k = 0; k < 3; ++k)
            word = word << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
        for (std::size_t k = 0; k < 4; ++k) out += i + k <= bytes.size() ? kLetters[word >> (18 - 6 * k) & 63] : '=';
    }
    return out;
}

/// Every `step`th pixel of every `step`th line.
values::Picture thinned(const values::Picture& p, std::uint32_t step) {
    values::Picture out;
    out.channels = p.channels;
    for (std::uint32_t y = 0; y < p.height; y += step, ++out.height) {
        out.width = 0;
        for (std::uint32_t x = 0; x < p.width; x += step, ++out.width)
            for (std::uint32_t c = 0; c < p.channels; ++c)
                out.values.push_back(p.values[(std::size_t{y} * p.width + x) * p.channels + c]);
    }
    return out;
}

/// The picture itself, of no more than 640 pixels each way; for a terminal its darkness, in about 40 columns.
record::CellMap draw(const values::Picture& p, std::string id, const Text& title) {
    record::CellMap map{std::move(id), title};
    const std::uint32_t step = std::max<std::uint32_t>(1, (std::max(p.width, p.height) + 39) / 40);
    for (std::uint32_t y = 0; y < p.height; y += step) {
        std::vector<record::Cell>& row = map.rows.emplace_back();
        for (std::uint32_t x = 0; x < p.width; x += step) {
            double sum = 0;
            std::size_t values = 0;
            for (std::uint32_t j = y; j < std::min(y + step, p.height); ++j)
                for (std::uint32_t i = x; i < std::min(x + step, p.width); ++i)
                    for (std::uint32_t c = 0; c < p.channels; ++c, ++values)
                        sum += p.values[(std::size_t{j} * p.width + i) * p.channels + c];
            row.push_back({"", -1, 1 - sum / (255.0 * static_cast<double>(values))});
        }
    }
    if (auto bytes = values::png_bytes(thinned(p, (std::max(p.width, p.height) + 639) / 640))) map.png = base64(*bytes);
    return map;
}

record::Series histogram(const values::Picture& p, const Text& name, Basis basis) {
    record::Series s{name, {}, std::vector<double>(32), {}, basis};
    for (std::uint8_t value : p.values) s.y[value / 8] += 1;
    for (int i = 0; i < 32; ++i) s.x.push_back(8 * i + 4);
    return s;
}

constexpr float kFactor = 2.0f;

/// The picture before and after the kernel, the launch and what it did.
struct Brightened {
    values::Picture in, out;
    launch::Extent grid, block{16, 16, 1};
    std::int64_t wrong = 0, full = 0;  ///< values that differ from the host's; values that reached the limit
    record::Record record;
};

Result<Brightened> brighten(const Context& context, const Choices& choices) {
    Brightened done;
    values::Picture& in = done.in;
    in = made_picture(76, 62);
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
    done.grid = {(in.width + 15) / 16, (in.height + 15) / 16, 1};
    auto launched = launch(context, *kernel, {done.grid, done.block},
                           {from->address(), to->address(), std::int64_t{in.width}, std::int64_t{in.height},
                            std::int64_t{in.channels}, double{kFactor}},
                           "picture");
    if (!launched) return std::move(launched).error();
    auto values = to->read<std::uint8_t>();
    if (!values) return std::move(values).error();
    done.out = in;
    done.out.values = std::move(*values);
    for (std::size_t i = 0; i < in.values.size(); ++i) {
        done.wrong += done.out.values[i] != scaled(in.values[i], kFactor);
        done.full += done.out.values[i] == 255 && in.values[i] != 255;
    }
    done.record = std::move(launched->record);
    done.record.lines.clear();
    done.record.verified = done.wrong == 0;
    done.record.axes = {{"width", std::int64_t{in.width}},
                        {"height", std::int64_t{in.height}},
                        {"channels", std::int64_t{in.channels}}};
    return done;
}

/// Both pictures and how often each value occurs in them.
record::Section picture_section(const Choices& choices, const Brightened& done) {
    record::Section section{message("picture.heading.picture"), {}};
    section.blocks.emplace_back(record::Paragraph{message(choices.input ? "picture.text.read" : "picture.text.made",
                                                          {{"file", choices.input.value_or("")},
                                                           {"width", std::int64_t{done.in.width}},
                                                           {"height", std::int64_t{done.in.height}},
                                                           {"channels", std::int64_t{done.in.channels}}})});
    section.blocks.emplace_back(draw(done.in, "before", message("picture.map.before")));
    section.blocks.emplace_back(draw(done.out, "after", message("picture.map.after", {{"factor", double{kFactor}}})));
    section.blocks.emplace_back(record::Plot{
        "histogram",
        message("picture.plot.histogram"),
        record::Plot::Kind::line,
        message("picture.axis.value"),
        message("picture.axis.pixels"),
        false,
        false,
        {},
        {histogram(done.in, message("picture.map.before"), Basis::counted),
         histogram(done.out, message("picture.map.after", {{"factor", double{kFactor}}}), Basis::counted)}});
    return section;
}

void conclude_picture(const Choices& choices, const Brightened& done, record::Page& page) {
    const auto threads = static_cast<std::int64_t>(done.grid.count() * done.block.count());
    const auto values = static_cast<std::int64_t>(done.in.values.size());
    std::vector<Text> first;
    if (done.wrong == 0)
        first.push_back(message("picture.conclusion.verified", {{"values", values}}));
    else
        page.problems.push_back(message("picture.problem.wrong", {{"wrong", done.wrong}, {"values", values}}));
    first.push_back(
        message("picture.conclusion.grid", {{"grid", fmt::format("{} x {}", done.grid.x, done.grid.y)},
                                            {"threads", threads},
                                            {"wasted", threads - std::int64_t{done.in.width} * done.in.height}}));
    if (done.full > 0)
        first.push_back(message(
            "picture.conclusion.full",
            {{"values", done.full}, {"share", 100.0 * static_cast<double>(done.full) / static_cast<double>(values)}}));
    if (choices.output) first.push_back(message("picture.conclusion.written", {{"file", *choices.output}}));
    page.conclusions.insert(page.conclusions.begin(), first.begin(), first.end());
}

}  // namespace

Result<record::Page> picture(const Context& context, const Choices& choices) {
    auto done = brighten(context, choices);
    if (!done) return std::move(done).error();
    if (choices.output) {
        if (auto ok = values::write_png(*choices.output, done->out); !ok) return std::move(ok).error();
    }

    // The kernel by block shape, at a size of its own: there the counts speak.
    Choices ladder = choices;
    if (ladder.sizes.empty()) ladder.sizes = {{choices.quick ? 512 : 1920, choices.quick ? 384 : 1080}};
    auto run = run_for_page(context, "picture", ladder);
    if (!run) return std::move(run).error();
    auto made = ladder_page(context, *run, "picture", ladder);
    if (!made) return std::move(made).error();
    record::Page page = std::move(*made);
    page.title = message("picture.title");
    page.purpose = message("picture.purpose");
    page.task = message("picture.task");
    page.sources = {"000"};
    if (choices.input) page.repeat.front() += " --input " + *choices.input;

    page.sections.insert(page.sections.begin(), picture_section(choices, *done));
    conclude_picture(choices, *done, page);
    page.records.push_back(std::move(done->record));
    return page;
}

}  // namespace warpwright::lab::pages
