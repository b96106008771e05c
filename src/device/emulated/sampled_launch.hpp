// Launches that only the emulated device has: a sample of the blocks, when only counts are wanted; and kernels that
// launch kernels.
#pragma once

#include <string_view>

#include "device/device.hpp"

namespace warpwright::device {

class KernelSide;

class Sampler {
public:
    static constexpr std::string_view kPart = "launches of a sample of the blocks";
    virtual ~Sampler() = default;
    /// Like Device::launch. With an error above 0 only as many blocks run as each count needs for it, and memory
    /// contents are not defined afterwards. `side` answers the kernels' questions.
    virtual Result<launch::EmulatedResult> launch_sample(Module& module, const std::string& kernel,
                                                         const LaunchConfig& config,
                                                         std::span<const std::byte> parameters,
                                                         const LaunchOptions& options, double error,
                                                         KernelSide* side = nullptr) = 0;
};

}  // namespace warpwright::device
