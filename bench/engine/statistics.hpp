// Median, best and spread of repeated timings.
#pragma once

#include <vector>

namespace warpwright::bench {

struct Summary {
    double median = 0, best = 0;  ///< seconds
    double spread = 0;            ///< distance of the quartiles over the median
    unsigned samples = 0;
};

Summary summarize(std::vector<double> seconds);

/// Of positive numbers; 0 when there are none.
double geometric_mean(const std::vector<double>& values);

}  // namespace warpwright::bench
