#include "report/prediction.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/format.hpp"

namespace warpwright::report {

namespace {

using record::Predicted;

std::string value_text(const Words& words, std::string_view unit, double value, bool unicode) {
    if (unit == "share") return words.figure(percent(value));
    if (unit == "s") return words.figure(seconds(value, unicode));
    if (unit.starts_with("bytes ")) return words.figure(bytes(value)) + " " + words.phrase(std::string(unit.substr(6)));
    if (unit == "bytes") return words.figure(bytes(value));
    return words.figure(grouped(static_cast<std::uint64_t>(std::llround(std::max(value, 0.0)))));
}

/// The largest of them, with their shares: "long_scoreboard 84 %, wait 9 %".
std::string largest(const Words& words, const std::map<std::string, double>& of, double over, std::size_t most,
                    double least) {
    std::vector<std::pair<std::string, double>> list(of.begin(), of.end());
    std::stable_sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    std::string out;
    for (std::size_t i = 0; i < std::min(most, list.size()) && list[i].second > least * over; ++i)
        out += fmt::format("{}{} {}", i ? ", " : "", words.phrase(safe(list[i].first)),
                           words.figure(percent(list[i].second / over)));
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

std::string how_sure(const Predicted& p, const Words& words) {
    std::string out;
    if (p.simulated < p.launches)
        out = words.phrase(fmt::format(
                  "{} of {} launches {} simulated; the times of the others follow from theirs by the ratio of the "
                  "bounds.",
                  p.simulated, p.launches, p.simulated == 1 ? "was" : "were")) +
              " ";
    if (p.error)
        out += words.phrase(fmt::format("Half of such predictions are off by more than {}.", percent(*p.error)));
    if (!p.outside.empty()) out += words.phrase("Outside of what was validated: " + safe(p.outside) + ".");
    return out;
}

}  // namespace

std::vector<std::string> prediction_lines(const Predicted& p, bool unicode, const Words& words) {
    std::vector<std::string> out;
    std::string figures;
    for (const record::FigureInfo& f : record::figures())
        if (!is_silent(f, p.*f.value))
            figures += fmt::format("{}{} {}", figures.empty() ? "" : ", ", words.phrase(std::string(f.heading)),
                                   value_text(words, f.unit, *(p.*f.value), unicode));
    if (!figures.empty()) out.push_back(figures);
    if (const std::string text = largest(words, p.peaks, 1, 5, 0.01); !text.empty())
        out.push_back(words.labelled(words.phrase("of their peaks"), text));
    std::map<std::string, double> waits = p.stalls;
    const double all = sum_of(waits);
    waits.erase("selected");
    if (const std::string text = all > 0 ? largest(words, waits, all, 4, 0.01) : ""; !text.empty())
        out.push_back(words.phrase("warps stood at") + " " + text);
    if (const std::string text = how_sure(p, words); !text.empty()) out.push_back(text);
    return out;
}

std::string line_stalls(const Predicted& p, std::string_view file, unsigned line, const Words& words) {
    const record::PredictedLine* at = p.line(file, line);
    const double all = sum_of(p.stalls), own = at ? sum_of(at->stalls) : 0;
    if (!(all > 0) || !(own > 0)) return {};
    std::map<std::string, double> waits = at->stalls;
    waits.erase("selected");
    const std::string text = largest(words, waits, own, 2, 0.05);
    return words.figure(percent(own / all)) + (text.empty() ? "" : ": " + text);
}

}  // namespace warpwright::report
