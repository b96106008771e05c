#include "report/prediction.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/format.hpp"

namespace warpwright::report {

namespace {

using record::Predicted;

std::string value_text(std::string_view unit, double value, bool unicode) {
    if (unit == "share") return percent(value);
    if (unit == "s") return seconds(value, unicode);
    if (unit.starts_with("bytes")) return bytes(value) + std::string(unit.substr(5));
    return grouped(static_cast<std::uint64_t>(std::llround(std::max(value, 0.0))));
}

/// The largest of them, with their shares: "long_scoreboard 84 %, wait 9 %".
std::string largest(const std::map<std::string, double>& of, double over, std::size_t most, double least) {
    std::vector<std::pair<std::string, double>> list(of.begin(), of.end());
    std::stable_sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    std::string out;
    for (std::size_t i = 0; i < std::min(most, list.size()) && list[i].second > least * over; ++i)
        out += fmt::format("{}{} {}", i ? ", " : "", safe(list[i].first), percent(list[i].second / over));
    return out;
}

/// Nothing to tell: most kernels spill nothing.
bool is_silent(const record::FigureInfo& f, const std::optional<double>& value) {
    return !value || (f.unit == "bytes per thread" && *value == 0);
}

double sum_of(const std::map<std::string, double>& of) {
    double all = 0;
    for (const auto& [name, value] : of) all += value;
    return all;
}

std::string how_sure(const Predicted& p) {
    std::string out;
    if (p.simulated < p.launches)
        out = fmt::format(
            "{} of {} launches {} simulated; the times of the others follow from theirs by the ratio of the bounds. ",
            p.simulated, p.launches, p.simulated == 1 ? "was" : "were");
    if (p.error) out += fmt::format("Half of such predictions are off by more than {}.", percent(*p.error));
    if (!p.outside.empty()) out += "Outside of what was validated: " + safe(p.outside) + ".";
    return out;
}

}  // namespace

std::vector<std::string> prediction_lines(const Predicted& p, bool unicode) {
    std::vector<std::string> out;
    std::string figures;
    for (const record::FigureInfo& f : record::figures())
        if (!is_silent(f, p.*f.value))
            figures += fmt::format("{}{} {}", figures.empty() ? "" : ", ", f.heading,
                                   value_text(f.unit, *(p.*f.value), unicode));
    if (!figures.empty()) out.push_back(figures);
    if (const std::string text = largest(p.peaks, 1, 5, 0.01); !text.empty()) out.push_back("of their peaks: " + text);
    std::map<std::string, double> waits = p.stalls;
    const double all = sum_of(waits);
    waits.erase("selected");
    if (const std::string text = all > 0 ? largest(waits, all, 4, 0.01) : ""; !text.empty())
        out.push_back("warps stood at " + text);
    if (const std::string text = how_sure(p); !text.empty()) out.push_back(text);
    return out;
}

std::string line_stalls(const Predicted& p, std::string_view file, unsigned line) {
    const record::PredictedLine* at = p.line(file, line);
    const double all = sum_of(p.stalls), own = at ? sum_of(at->stalls) : 0;
    if (!(all > 0) || !(own > 0)) return {};
    std::map<std::string, double> waits = at->stalls;
    waits.erase("selected");
    const std::string text = largest(waits, own, 2, 0.05);
    return percent(own / all) + (text.empty() ? "" : ": " + text);
}

}  // namespace warpwright::report
