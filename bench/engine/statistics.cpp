#include "statistics.hpp"

#include <algorithm>
#include <cmath>

namespace warpwright::bench {
namespace {

/// Linear between the two nearest ranks.
double quantile(const std::vector<double>& sorted, double q) {
    const double at = q * static_cast<double>(sorted.size() - 1);
    const auto low = static_cast<std::size_t>(at);
    const auto high = std::min(low + 1, sorted.size() - 1);
    return sorted[low] + (at - static_cast<double>(low)) * (sorted[high] - sorted[low]);
}

}  // namespace

Summary summarize(std::vector<double> seconds) {
    Summary s;
    if (seconds.empty()) return s;
    std::sort(seconds.begin(), seconds.end());
    s.median = quantile(seconds, 0.5);
    s.best = seconds.front();
    s.spread = (quantile(seconds, 0.75) - quantile(seconds, 0.25)) / s.median;
    s.samples = static_cast<unsigned>(seconds.size());
    return s;
}

double geometric_mean(const std::vector<double>& values) {
    if (values.empty()) return 0;
    double sum = 0;
    for (double value : values) sum += std::log(value);
    return std::exp(sum / static_cast<double>(values.size()));
}

}  // namespace warpwright::bench
