// What kernels ask of the runtime while they run, and the grids that they launch, for one launch of the host's.
#pragma once

#include <map>
#include <mutex>
#include <vector>

#include "cudart/launch/kernel_launch.hpp"
#include "cudart/observe/recorder.hpp"
#include "device/emulated/device_runtime.hpp"

namespace warpwright::cudart {

class Conditions;

class Children final : public device::KernelSide {
public:
    explicit Children(const Launch& launch);

    std::uint64_t most_dynamic_shared(device::Module& module, const device::KernelInfo& kernel) override;
    device::ChildTime ended(device::Module& module, const device::KernelInfo& kernel,
                            const device::LaunchConfig& config, const device::LaunchResult& result,
                            const device::NestedPlace& place) override;
    double moved(bool fill, std::uint64_t bytes, const device::NestedPlace& place) override;
    std::uint32_t ask(device::Question question, device::Module& module, const device::KernelInfo* kernel,
                      const std::uint64_t* arguments, std::vector<std::byte>& answer) override;

    /// All that was launched, in the timeline: the kernel's own work ended at `end`.
    void show(std::uint64_t stream, double end);

private:
    void note(std::uint64_t parent, std::optional<Recorder::Noted> event);

    const Launch& launch_;
    Conditions* const conditions_;  ///< of the graph that the launch is in
    std::mutex mutex_;
    std::map<std::uint64_t, std::vector<Recorder::Noted>>
        events_;  ///< by the grid that launched it, from the end of its own work on
};

}  // namespace warpwright::cudart
