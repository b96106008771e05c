// Launches of which a part of the blocks stands for all, when only counts are wanted: of the emulated device only.
#pragma once

#include <optional>

#include "device/device.hpp"
#include "record/sample.hpp"

namespace warpwright::device {

struct SampledResult {
    LaunchResult result;                   ///< counts of the whole grid, scaled up
    std::optional<record::Sample> sample;  ///< of what part they are; absent where nothing was counted
};

/// A device that can; ask with dynamic_cast.
class Sampler {
public:
    virtual ~Sampler() = default;
    /// As Device::launch, but so many blocks run that each count is known to this relative error. Memory contents are not defined
    /// afterwards.
    virtual Result<SampledResult> launch_sample(Module& module, const std::string& kernel, const LaunchConfig& config,
                                                std::span<const std::byte> parameters, const LaunchOptions& options, double error) = 0;
};

}  // namespace warpwright::device
