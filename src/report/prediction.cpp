// Figures follow the order and units of the list of predicted figures, and those with nothing to tell are left out.
// Terminal, Markdown and HTML call these functions, so that all of them say the same.
#include "report/prediction.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/format.hpp"

namespace warpwright::report {

namespace {

using record::Predicted;

Text value_text(std::string_view unit, double value, bool unicode) {
    if (unit == "share") return Figure{percent(value)};
    if (unit == "s") return Figure{seconds(value, unicode)};
    if (unit.starts_with("bytes ")) return Figure{bytes(value)} + (" " + name_text(std::string(unit.substr(6))));
    if (unit == "bytes") return Figure{bytes(value)};
    return Figure{grouped(static_cast<std::uint64_t>(std::llround(std::max(value, 0.0))))};
}

/// The largest of them, with their shares: "long_scoreboard 84 %, wait 9 %".
Text largest(const std::map<std::string, double>& of, double over, std::size_t most, double least) {
    std::vector<std::pair<std::string, double>> list(of.begin(), of.end());
    std::stable_sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    Text out;
    for (std::size_t i = 0; i < std::min(most, list.size()) && list[i].second > least * over; ++i)
        out += (i ? ", " : "") + name_text(safe(list[i].first)) + " " + Figure{percent(list[i].second / over)};
    return out;
}

/// Nothing to tell: most kernels spill nothing.
bool is_silent(const record::FigureInfo& f, const std::optional<double>& value) {
    // (how_sure() tells the interval; what has no heading is a part of another figure.)
    return !value || f.heading.empty() || (f.unit == "bytes per thread" && *value == 0) || f.key == "seconds_low" ||
           f.key == "seconds_high";
}

double sum_of(const std::map<std::string, double>& of) {
    double all = 0;
    for (const auto& [name, value] : of) all += value;
    return all;
}

Text how_sure(const Predicted& p, bool unicode) {
    Text out;
    if (p.simulated < p.launches)
        out += message(p.simulated == 1 ? "prediction.simulated_one" : "prediction.simulated_of",
                       {{"a", figure_of(p.simulated)}, {"b", figure_of(p.launches)}}) +
               " ";
    if (p.error) out += message("prediction.half", {{"x", Figure{percent(*p.error)}}});
    if (p.seconds_low && p.seconds_high)
        out += " " + message("prediction.interval", {{"kind", name_text(safe(p.error_class))},
                                                     {"low", Figure{seconds(*p.seconds_low, unicode)}},
                                                     {"high", Figure{seconds(*p.seconds_high, unicode)}}});
    if (!p.outside.empty()) out += message("prediction.outside", {{"why", carried_text(safe(p.outside))}});
    return out;
}

}  // namespace

std::vector<std::string> prediction_lines(const Predicted& p, bool unicode, const Words& words) {
    std::vector<std::string> out;
    Text figures;
    for (const record::FigureInfo& f : record::figures())
        if (!is_silent(f, p.*f.value))
            figures += (figures.empty() ? "" : ", ") + name_text(std::string(f.heading)) + " " +
                       value_text(f.unit, *(p.*f.value), unicode);
    if (!figures.empty()) out.push_back(words.render(figures));
    if (const Text text = largest(p.peaks, 1, 5, 0.01); !text.empty())
        out.push_back(words.labelled(words("prediction.peaks"), words.render(text)));
    std::map<std::string, double> waits = p.stalls;
    const double all = sum_of(waits);
    waits.erase("selected");
    if (const Text text = all > 0 ? largest(waits, all, 4, 0.01) : Text(); !text.empty())
        out.push_back(words("prediction.stood_at") + " " + words.render(text));
    if (const Text text = how_sure(p, unicode); !text.empty()) out.push_back(words.render(text));
    return out;
}

Text line_stalls_text(const Predicted& p, std::string_view file, unsigned line) {
    const record::PredictedLine* at = p.line(file, line);
    const double all = sum_of(p.stalls), own = at ? sum_of(at->stalls) : 0;
    if (!(all > 0) || !(own > 0)) return {};
    std::map<std::string, double> waits = at->stalls;
    waits.erase("selected");
    const Text text = largest(waits, own, 2, 0.05);
    return Figure{percent(own / all)} + (text.empty() ? Text() : ": " + text);
}

std::string line_stalls(const Predicted& p, std::string_view file, unsigned line, const Words& words) {
    return words.render(line_stalls_text(p, file, line));
}

}  // namespace warpwright::report
