// Causes of errors that callers distinguish: how a kernel's launch ended, and what a machine or a file lacks. They are
// set where the error is made; no code searches the text of a message.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "support/result.hpp"

namespace warpwright {

enum class Cause : std::uint8_t {
    none,
    // Errors of kernels.
    out_of_bounds,        ///< an access outside of what the thread may touch
    null_pointer,         ///< an access below address 4096
    misaligned,           ///< an access that is not aligned to its size
    read_only,            ///< a store to constant memory or to the launch's parameters
    invalid_handle,       ///< an invalid texture, surface, tensor map or descriptor
    illegal_instruction,  ///< a call through a pointer that is no function, or code that nothing executes
    invalid_operand,      ///< an instruction's operand outside of what the ISA allows
    assertion,            ///< assert() failed
    trap,                 ///< the kernel executed trap
    barrier,              ///< a barrier used against its rules, by number, count or threads
    deadlock,             ///< all threads wait, and none can continue
    time_limit,           ///< the launch did not end in time
    stack_overflow,       ///< calls nested too deep
    no_peer_access,       ///< memory of another device, to which the kernel's own has no access
    invalid_free,         ///< memory freed that was not allocated
    cancelled,            ///< the process ends
    // Resources that a launch or the device lacks.
    launch_limit,       ///< a grid or block of a size, or local or parameter memory, that the device does not allow
    shared_limit,       ///< more shared memory than a block may have
    register_limit,     ///< more registers than a block may have
    cluster_size,       ///< clusters that the kernel, the grid or the device does not allow
    cooperative_limit,  ///< a cooperative grid whose blocks cannot all be resident at once
    out_of_memory,      ///< no device memory left
    // Things that a machine or a file lacks.
    no_driver,      ///< the machine has no driver of the device's vendor
    no_ptx,         ///< a program with machine code alone
    missing_source  ///< a compiler did not find a file that the source includes
};

/// A cause, and the CUDA runtime's and driver's code for it (cudaError_t and CUresult agree on these).
struct CauseInfo {
    Cause cause = Cause::none;
    std::string_view name;   ///< "misaligned", for JSON and tests
    std::int32_t cuda = 0;   ///< 0: it has no code of its own
    std::string_view words;  ///< a description, for places without a message
};
/// One row per cause, in the order of the enumeration.
const std::vector<CauseInfo>& causes();
const CauseInfo& info(Cause cause);
/// The cause of a CUDA error code; the first in the table if several share one.
Cause cause_of_cuda(std::int32_t code);

}  // namespace warpwright
