// Launches that only the emulated device has: a sample of the blocks, when only counts are wanted; and kernels that
// launch kernels.
#pragma once

#include <optional>

#include "device/device.hpp"
#include "record/sample.hpp"

namespace warpwright::device {

class KernelSide;

struct SampledResult {
    LaunchResult result;                   ///< counts of the whole grid, scaled up
    std::optional<record::Sample> sample;  ///< the sample they come from; absent if nothing was counted
    /// For the modelled clock: the grids that the kernel launched, from the end of its own part on; and its tails, one
    /// after the other after all of them.
    std::vector<timeline::Work> nested, tails;

    /// The launch as a whole: its own part and everything that followed from it.
    timeline::Work whole(timeline::Work own) const {
        own.inner = nested;
        std::vector<timeline::Work> line{std::move(own)};
        line.insert(line.end(), tails.begin(), tails.end());
        return timeline::sequence(std::move(line));
    }
};

class Sampler {
public:
    virtual ~Sampler() = default;
    /// Like Device::launch. With an error above 0 only as many blocks run as each count needs for it, and memory
    /// contents are not defined afterwards. `side` answers the kernels' questions.
    virtual Result<SampledResult> launch_sample(Module& module, const std::string& kernel, const LaunchConfig& config,
                                                std::span<const std::byte> parameters, const LaunchOptions& options,
                                                double error, KernelSide* side = nullptr) = 0;
};

}  // namespace warpwright::device
