// Questions that kernels ask the runtime library while they run, and reports about the grids they launch. The emulated
// device calls it, from several host threads at once; a runtime library (cudart/) answers.
#pragma once

#include <cstdint>
#include <vector>

#include "device/device.hpp"
#include "engine/shared/nested.hpp"

namespace warpwright::device {

using engine::Question;

/// The position of a grid among those that follow from one launch by the host.
struct NestedPlace {
    std::uint64_t id = 0, parent = 0;  ///< numbers of grids; that of the host's launch is 0
    unsigned depth = 1;
};

class KernelSide {
public:
    virtual ~KernelSide() = default;
    /// Bytes of dynamic shared memory that the kernel may use beyond the default limit.
    virtual std::uint64_t most_dynamic_shared(Module& module, const KernelInfo& kernel) = 0;
    /// A grid has ended; those that it launched were reported before.
    /// Returns the grid's own part for the modelled clock.
    virtual timeline::Work ended(Module& module, const KernelInfo& kernel, const LaunchConfig& config,
                                 const LaunchResult& result, const NestedPlace& place) = 0;
    /// A copy or fill that a kernel queued has been done; returns its work likewise.
    virtual timeline::Work moved(bool fill, std::uint64_t bytes) = 0;
    /// 0 and the answer, or an error of the runtime library's. See Question for arguments and answers.
    virtual std::uint32_t ask(Question question, Module& module, const KernelInfo* kernel,
                              const std::uint64_t* arguments, std::vector<std::byte>& answer) = 0;
};

}  // namespace warpwright::device
