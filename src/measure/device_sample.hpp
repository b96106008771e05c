// Times work on a device's own clock until the result is steady.
#pragma once

#include <functional>
#include <vector>

#include "measure/host_sample.hpp"
#include "support/result.hpp"

namespace warpwright::measure {

struct DeviceSampleOptions {
    std::uint32_t min_samples = 10, max_samples = 400, batch = 5;
    double warm_seconds =
        0.05;                  ///< run unmeasured this long by the device's clock: clocks rise, caches and tables fill
    double min_seconds = 0.1;  ///< measure at least this long by the device's clock
    double max_seconds = 3;    ///< and stop after this long once there are 3 samples (1 if a single one takes longer)
    double noise = 0.005;      ///< stop when the spread is below this
    /// A sample repeats the work until it lasts this long, so that the cost of starting and stopping the clock (a few
    /// microseconds) does not matter.
    double shortest = 2e-3;
    std::uint32_t max_repeat = 1000;
    std::function<void()> warmed = {};  ///< called when the warm-up is over
};

struct DeviceSamples {
    std::vector<double> seconds;  ///< of one run of the work each
    std::uint32_t repeat = 1;     ///< runs within a sample
};

/// Runs the work `repeat` times back to back, `samples` times, and returns each sample's seconds.
using DeviceWork = std::function<Result<std::vector<double>>(std::uint32_t repeat, std::uint32_t samples)>;

Result<DeviceSamples> sample_device(const DeviceWork& work, const DeviceSampleOptions& options = {});

}  // namespace warpwright::measure
