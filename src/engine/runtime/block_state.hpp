// What a block's threads know at a moment, as one number: two equal ones are the same state. And what its lanes wait
// for.
#pragma once

#include <cstdint>

#include "engine/shared/executor.hpp"

namespace warpwright::engine {

/// A hash of the state of a block's threads: registers, where they continue, what they wait for; shared and local
/// memory. Of kernels with real calls (KernelCode::on_fibers) it lacks what is on the threads' own stacks.
std::uint64_t state_of(ResidentBlock& block);
/// Adds to what the warp's lanes wait for; there must be room for it.
void keep_wait(BlockContext* c, WarpFrame* f, const Wait& wait);

}  // namespace warpwright::engine
