// A figure's row says whether it is a sum or a mean, so that one function adds launches and averages them. Means are
// weighted by the times of the launches.
#include "record/predicted.hpp"

#include <algorithm>
#include <array>
#include <iterator>

namespace warpwright::record {

namespace {

enum class Kind : std::uint8_t { sum, mean };

struct Row {
    FigureInfo info;
    Kind kind;
};

constexpr Row kRows[] = {
#define WARPWRIGHT_FIGURE(key, kind, unit, heading, meaning, hardware) \
    {{#key, unit, heading, meaning, hardware, &Predicted::key}, Kind::kind},
#include "record/predicted.inc"
};

/// Absent figures stay so: a sum without one of its terms says nothing.
void join(std::optional<double>& a, const std::optional<double>& b, double of_a, double of_b) {
    if (a && b)
        a = of_a * *a + of_b * *b;
    else
        a.reset();
}

void join(std::map<std::string, double>& a, const std::map<std::string, double>& b, double of_a, double of_b) {
    for (auto& [name, value] : a) value *= of_a;
    for (const auto& [name, value] : b) a[name] += of_b * value;
}

void join(std::vector<PredictedLine>& a, const std::vector<PredictedLine>& b, double of_a, double of_b) {
    for (PredictedLine& l : a)
        for (auto& [name, value] : l.stalls) value *= of_a;
    for (const PredictedLine& l : b) {
        auto at = std::find_if(a.begin(), a.end(),
                               [&](const PredictedLine& own) { return own.line == l.line && own.file == l.file; });
        if (at == a.end()) at = a.insert(a.end(), PredictedLine{l.file, l.line, {}});
        for (const auto& [name, value] : l.stalls) at->stalls[name] += of_b * value;
    }
}

/// Sums become of_a * a + of_b * b; means are weighted by the times.
void join(Predicted& a, const Predicted& b, double of_a, double of_b) {
    const double all = of_a * a.seconds + of_b * b.seconds;
    const double share = all > 0 ? of_b * b.seconds / all : 0.5;
    for (const Row& row : kRows) {
        const bool sum = row.kind == Kind::sum;
        join(a.*row.info.value, b.*row.info.value, sum ? of_a : 1 - share, sum ? of_b : share);
    }
    join(a.peaks, b.peaks, 1 - share, share);
    join(a.stalls, b.stalls, 1 - share, share);
    join(a.lines, b.lines, 1 - share, share);
    join(a.causes, b.causes, 1 - share, share);
    a.seconds = all;
    a.launches += b.launches;
    a.simulated += b.simulated;
    a.error = a.error && b.error ? std::optional(std::max(*a.error, *b.error)) : std::nullopt;
    if (a.error_class != b.error_class) a.error_class = a.error_class.empty() ? b.error_class : "several";
    if (a.outside.empty()) a.outside = b.outside;
}

}  // namespace

const PredictedLine* Predicted::line(std::string_view file, unsigned number) const {
    for (const PredictedLine& l : lines)
        if (l.line == number && l.file == file) return &l;
    return nullptr;
}

void Predicted::add(const Predicted& more) { join(*this, more, 1, 1); }

void Predicted::average(const Predicted& more) {
    const double all = static_cast<double>(launches + more.launches);
    join(*this, more, static_cast<double>(launches) / all, static_cast<double>(more.launches) / all);
}

std::span<const FigureInfo> figures() {
    static const auto rows = [] {
        std::array<FigureInfo, std::size(kRows)> out;
        std::transform(std::begin(kRows), std::end(kRows), out.begin(), [](const Row& r) { return r.info; });
        return out;
    }();
    return rows;
}

}  // namespace warpwright::record
