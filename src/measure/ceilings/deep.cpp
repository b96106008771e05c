// The table of the deep figures: which group measures each, or why no clock can. Each that is not measured is named
// with its reason, so that none is forgotten in silence.
#include "measure/ceilings/deep.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "arch/figures.hpp"
#include "timing/parameters.hpp"

namespace warpwright::measure {
namespace {

constexpr std::string_view kPeers = "it takes two devices: warpwright lab links measures copies between them";
constexpr std::string_view kTextures = "no kernel of ours fetches textures to measure them";

/// The other tables that have what is measured, and their figures that are not.
constexpr std::string_view kTables[] = {"latency", "ceilings", "conflicts", "launches"};
constexpr std::pair<std::string_view, std::string_view> kOthers[] = {
    {"launches.start_us",
     "Nsight Compute's durations have it beyond the cycles of warps, and no clock of ours sees it"},
    {"ceilings.peer_copy", kPeers},
    {"ceilings.peer_access", kPeers},
    {"ceilings.peer_staged", kPeers},
    {"latency.texture", kTextures},
    {"latency.texture_filter", kTextures},
};

constexpr const char* kNothing = "nothing measures it";

std::string_view why_not(std::string_view figure) {
    for (const auto& [key, why] : kOthers)
        if (key == figure) return why;
    for (const arch::TimingFigure& f : arch::timing_figures())
        if (f.probe.empty() && figure.starts_with("timing.") && figure.substr(7) == f.key) return f.method;
    return {};
}

}  // namespace

Subject deep_subject(const Bench& bench, std::string_view key) {
    const auto all = arch::timing_figures();
    const auto of = std::find_if(all.begin(), all.end(), [&](const arch::TimingFigure& f) { return f.key == key; });
    Subject s{"timing", std::string(key), "timing." + std::string(key), "", 1, {}, "", {}};
    if (of == all.end()) return s;
    s.unit = of->unit;
    s.title = of->method;
    for (const timing::TakenFigure& f : timing::taken_figures(bench.base()))
        if (f.key == key && f.value > 0) s.sheet = f.value;
    return s;
}

Shape one_block(const std::string& file, const std::string& kernel, std::uint32_t threads,
                std::vector<std::byte> parameters) {
    Shape s;
    s.file = file;
    s.kernel = kernel;
    s.block = threads;
    s.parameters = std::move(parameters);
    return s;
}

Result<std::vector<double>> cycles_each(Bench& b, const Shape& shape, device::Address out, double steps) {
    auto words = b.words(shape, out, 2);
    if (!words) return std::move(words).error();
    std::vector<double> list;
    for (const auto& w : *words) list.push_back(static_cast<double>(w[0]) / steps);
    return list;
}

Result<std::vector<double>> cycles_of_all(Bench& b, const Shape& shape, device::Address out, double steps) {
    const std::uint32_t warps = shape.block / 32;
    auto words = b.words(shape, out, 2 * std::size_t{warps});
    if (!words) return std::move(words).error();
    std::vector<double> list;
    for (const auto& w : *words) {
        std::uint64_t first = w[0], last = w[1];
        for (std::uint32_t i = 0; i < warps; ++i)
            first = std::min(first, w[2 * i]), last = std::max(last, w[2 * i + 1]);
        list.push_back(static_cast<double>(last - first) / steps);
    }
    return list;
}

void say_unmeasured(Bench& b, bool deep, bool in_time) {
    for (const arch::FigureSpec& spec : arch::figure_specs()) {
        const bool timing = spec.table == "timing";
        if (timing ? !deep : std::find(std::begin(kTables), std::end(kTables), spec.table) == std::end(kTables))
            continue;
        const std::string figure = fmt::format("{}.{}", spec.table, spec.key);
        if (b.tried(figure)) continue;
        const Subject subject =
            timing ? deep_subject(b, spec.key)
                   : Subject{std::string(spec.table), std::string(spec.key), figure, "", spec.scale, {}, "", {}};
        const std::string_view why = why_not(figure);
        b.leave_out(subject, !why.empty() ? std::string(why) : in_time ? kNothing : kNoTime);
    }
}

}  // namespace warpwright::measure
