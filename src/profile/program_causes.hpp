// What holds a program as a whole back: from when its kernels and copies ran on the modelled clock (docs/causes.md).
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "record/bottleneck.hpp"

namespace warpwright::profile {

/// Moments in which something ran, as intervals that do not touch.
class BusyTimes {
public:
    /// Intervals come in the order of their ends, or nearly.
    void add(double begin, double end);
    const std::vector<std::pair<double, double>>& intervals() const { return intervals_; }
    double sum() const;

private:
    std::vector<std::pair<double, double>> intervals_;
};
/// Of `a`, the part in which `b` is not busy.
double sum_without(const BusyTimes& a, const BusyTimes& b);

struct ProgramTimes {
    BusyTimes kernels, links, all;          ///< `links`: copies between host and device
    std::uint64_t launches = 0, waits = 0;  ///< `waits`: calls in which the host waited for the device
    double starts = 0;                      ///< of the launches, what any launch takes
    double kernel_seconds = 0;
    // Of copies between host and device:
    double copied = 0, pageable = 0;  ///< bytes
    double link_seconds = 0;
    double repeated_seconds = 0;                      ///< of copies of the same memory to the same place again
    double pageable_seconds = 0, pinned_seconds = 0;  ///< of those of pageable memory; what they would take otherwise
};

/// The largest share of the program's time on the device first; empty where nothing is worth telling.
std::vector<record::Bottleneck> program_causes(const ProgramTimes& times);

}  // namespace warpwright::profile
