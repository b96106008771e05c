// Figures that several measurements give together: the line through them, sample by sample, so that what comes of it
// has samples of its own, and with them a spread.
#pragma once

#include <vector>

namespace warpwright::measure {

struct Line {
    double slope = 0, intercept = 0;
};

/// The line of least squares through (x[k], y[k]); absent samples (fewer than two different x) give zeros.
Line fit_line(const std::vector<double>& x, const std::vector<double>& y);

/// `samples[k]` are those at x[k]: the line through each one's first, second, ... as many as all have.
std::vector<Line> fit_lines(const std::vector<double>& x, const std::vector<std::vector<double>>& samples);

std::vector<double> slopes(const std::vector<Line>& lines);
std::vector<double> intercepts(const std::vector<Line>& lines);

/// Each sample times `factor`, less `amount`.
std::vector<double> scaled_less(std::vector<double> samples, double factor, double amount);

/// The x of the first point that is nearer to the last one's height than to the first one's: where a step is. 0 where
/// there is none, or fewer than three points.
double step_at(const std::vector<double>& x, const std::vector<double>& y);

}  // namespace warpwright::measure
