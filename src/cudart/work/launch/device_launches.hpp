// The questions of running kernels to the runtime, and the grids that they launch, for one launch by the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cudart/work/launch/kernel_launch.hpp"
#include "device/emulated/device_runtime.hpp"

namespace warpwright::cudart {

class Conditions;

class Children final : public device::KernelSide {
public:
    explicit Children(const Launch& launch);

    std::uint64_t most_dynamic_shared(device::Module& module, const device::KernelInfo& kernel) override;
    timeline::Work ended(device::Module& module, const device::KernelInfo& kernel, const device::LaunchConfig& config,
                         const device::LaunchResult& result, const device::NestedPlace& place) override;
    timeline::Work moved(bool fill, std::uint64_t bytes) override;
    std::uint32_t ask(device::Question question, device::Module& module, const device::KernelInfo* kernel,
                      const std::uint64_t* arguments, std::vector<std::byte>& answer) override;

private:
    std::uint32_t launch_graph(std::uint64_t graph, std::uint64_t stream);
    const Launch& launch_;
    Conditions* const conditions_;  ///< of the graph that contains the launch
};

/// Answers a question as the function of the host does for which it stands (api/answers.cpp). `kernel`: null where it
/// is about none.
std::uint32_t answer_as_runtime(device::Question question, const void* kernel, const std::uint64_t* arguments,
                                std::vector<std::byte>& answer);

}  // namespace warpwright::cudart
