// What other hosts' blocks have written comes into this host's memory.
#pragma once

#include <span>

#include "engine/shared/atomic_op.hpp"
#include "engine/shared/executor.hpp"
#include "engine/shared/other_hosts.hpp"

namespace warpwright::engine {

/// How the memory that only atomics of a kernel write is put together, where all of them do the same operation.
struct Combining {
    AtomicOp operation = AtomicOp::exch;
    unsigned bytes = 4;
};
/// Absent: the kernel has no atomics on global memory, or different ones.
std::optional<Combining> combining(const KernelCode& code);

/// Takes over the changes, all or none. A byte that this host has changed since, or another host whose changes are
/// here, may only have become the same; unless it lies in an allocation that the grid's blocks have written by atomics
/// alone (`touched`), where both changes count. False: others have written the same bytes, and nothing was taken over.
bool take_over(std::span<const Change> changes, const DeviceMemory& memory, const TouchedMemory& touched,
               const std::optional<Combining>& how);

}  // namespace warpwright::engine
