// Least squares for each sample by itself, and the size of a step in a curve: what is left of a line or a step keeps
// the spread of its samples.
#include "measure/ceilings/fit.hpp"

#include <algorithm>

namespace warpwright::measure {

Line fit_line(const std::vector<double>& x, const std::vector<double>& y) {
    const std::size_t n = std::min(x.size(), y.size());
    if (n < 2) return {};
    double mean_x = 0, mean_y = 0;
    for (std::size_t k = 0; k < n; ++k) mean_x += x[k] / double(n), mean_y += y[k] / double(n);
    double xx = 0, xy = 0;
    for (std::size_t k = 0; k < n; ++k) {
        xx += (x[k] - mean_x) * (x[k] - mean_x);
        xy += (x[k] - mean_x) * (y[k] - mean_y);
    }
    if (xx == 0) return {};
    return {xy / xx, mean_y - xy / xx * mean_x};
}

std::vector<Line> fit_lines(const std::vector<double>& x, const std::vector<std::vector<double>>& samples) {
    if (x.size() != samples.size() || samples.empty()) return {};
    std::size_t count = samples.front().size();
    for (const auto& s : samples) count = std::min(count, s.size());
    std::vector<Line> out;
    for (std::size_t i = 0; i < count; ++i) {
        std::vector<double> y;
        for (const auto& s : samples) y.push_back(s[i]);
        out.push_back(fit_line(x, y));
    }
    return out;
}

std::vector<double> slopes(const std::vector<Line>& lines) {
    std::vector<double> out;
    for (const Line& l : lines) out.push_back(l.slope);
    return out;
}

std::vector<double> intercepts(const std::vector<Line>& lines) {
    std::vector<double> out;
    for (const Line& l : lines) out.push_back(l.intercept);
    return out;
}

std::vector<double> scaled_less(std::vector<double> samples, double factor, double amount) {
    for (double& s : samples) s = s * factor - amount;
    return samples;
}

double step_at(const std::vector<double>& x, const std::vector<double>& y) {
    const std::size_t n = std::min(x.size(), y.size());
    // A step is at least half of what there was before it.
    if (n < 3 || y[n - 1] < 1.5 * y[0]) return 0;
    for (std::size_t k = 1; k < n; ++k)
        if (y[k] - y[0] > y[n - 1] - y[k]) return x[k];
    return 0;
}

}  // namespace warpwright::measure
