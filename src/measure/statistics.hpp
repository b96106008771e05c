// Statistics of a list of samples: the median, the minimum, the spread. Pure functions.
#pragma once

#include <cstdint>
#include <span>

#include "record/record.hpp"

namespace warpwright::measure {

struct Statistics {
    std::uint32_t samples = 0;
    double min = 0, max = 0, median = 0, mean = 0;
    double quartile_1 = 0, quartile_3 = 0;
    /// Half the interquartile range over the median: about 0.67 standard deviations for normal noise, and insensitive
    /// to outliers. 0 for a single sample or a median of 0.
    double spread = 0;
};

/// The p-quantile, 0 <= p <= 1, of sorted samples: linear between the two nearest (Hyndman and Fan's type 7). 0 if
/// there are none.
double quantile(std::span<const double> sorted, double p);

Statistics summarise(std::span<const double> samples);

record::Time to_time(const Statistics& statistics);

}  // namespace warpwright::measure
