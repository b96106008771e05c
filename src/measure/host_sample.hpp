// Times work on the host until the result is steady.
#pragma once

#include <functional>
#include <vector>

#include "measure/statistics.hpp"

namespace warpwright::measure {

struct SampleOptions {
    std::uint32_t min_samples = 5, max_samples = 200;
    double min_seconds = 0.05;  ///< measure at least this long
    double max_seconds = 1.5;   ///< and stop after this long once there are 3 samples (1 if a single one takes longer)
    double noise = 0.01;        ///< stop when the spread is below this
    double shortest = 50e-6;  ///< a sample repeats the work until it lasts this long, so that the clock does not matter
};

/// Seconds since some fixed moment, never backwards. Replaceable so that the rules of sampling can be tested.
using Clock = std::function<double()>;
double steady_seconds();

/// Runs `work` once unmeasured (caches, pages, threads), then samples it. Each sample is seconds per run.
std::vector<double> sample(const std::function<void()>& work, const SampleOptions& options = {},
                           const Clock& clock = steady_seconds);

}  // namespace warpwright::measure
