// Quantiles by linear interpolation. The spread is half the interquartile range over the median: single outliers do not
// move it.
#include "measure/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace warpwright::measure {

double quantile(std::span<const double> sorted, double p) {
    if (sorted.empty()) return 0;
    double position = p * static_cast<double>(sorted.size() - 1);
    auto below = static_cast<std::size_t>(std::floor(position));
    if (below + 1 >= sorted.size()) return sorted.back();
    double part = position - static_cast<double>(below);
    return sorted[below] + part * (sorted[below + 1] - sorted[below]);
}

Statistics summarise(std::span<const double> samples) {
    Statistics s;
    if (samples.empty()) return s;
    std::vector<double> sorted(samples.begin(), samples.end());
    std::sort(sorted.begin(), sorted.end());
    s.samples = static_cast<std::uint32_t>(sorted.size());
    s.min = sorted.front();
    s.max = sorted.back();
    double sum = 0;
    for (double v : sorted) sum += v;
    s.mean = sum / static_cast<double>(sorted.size());
    s.median = quantile(sorted, 0.5);
    s.quartile_1 = quantile(sorted, 0.25);
    s.quartile_3 = quantile(sorted, 0.75);
    if (s.median != 0) s.spread = (s.quartile_3 - s.quartile_1) / 2 / s.median;
    return s;
}

record::Time to_time(const Statistics& s) { return {s.median, s.min, s.spread, s.samples}; }

}  // namespace warpwright::measure
