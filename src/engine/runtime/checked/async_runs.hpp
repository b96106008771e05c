// cp.async of many lanes: where they follow each other in both memories, a line of shared memory at a time.
#pragma once

#include "engine/runtime/checked/checked_launch.hpp"

namespace warpwright::engine {

/// Does and records the copies of lanes, from the lowest of `mask` on, that are in order, as single lanes would.
/// Returns those lanes, which are put into `copy`; 0: the lowest one is to be looked at for itself.
std::uint64_t copies_in_order(BlockContext* c, WarpFrame* f, std::uint32_t index, const std::uint64_t* to,
                              const std::uint64_t* from, const std::uint64_t* sizes, std::uint64_t mask,
                              PendingCopy& copy);

}  // namespace warpwright::engine
