// Launches as only the emulated device has them: a part of the blocks stands for all, when only counts are wanted; and
// kernels that launch kernels.
#pragma once

#include <optional>

#include "device/device.hpp"
#include "record/sample.hpp"

namespace warpwright::device {

class KernelSide;

struct SampledResult {
    LaunchResult result;                   ///< counts of the whole grid, scaled up
    std::optional<record::Sample> sample;  ///< of what part they are; absent where nothing was counted
    /// For the modelled clock: what the kernel launched, from the end of its own part on; and its tail, one after the
    /// other behind all that.
    std::vector<timeline::Work> nested, tails;

    /// The launch as a whole: its own part, and what came of it.
    timeline::Work whole(timeline::Work own) const {
        own.inner = nested;
        std::vector<timeline::Work> line{std::move(own)};
        line.insert(line.end(), tails.begin(), tails.end());
        return timeline::sequence(std::move(line));
    }
};

/// A device that can; ask with dynamic_cast.
class Sampler {
public:
    virtual ~Sampler() = default;
    /// As Device::launch. With an error above 0 only so many blocks run that each count is known to it, and memory
    /// contents are not defined afterwards. `side`: who answers kernels.
    virtual Result<SampledResult> launch_sample(Module& module, const std::string& kernel, const LaunchConfig& config,
                                                std::span<const std::byte> parameters, const LaunchOptions& options,
                                                double error, KernelSide* side = nullptr) = 0;
};

}  // namespace warpwright::device
