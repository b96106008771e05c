// Barriers of the whole block, and ends of its warps, without a way back to the scheduler: where a warp waits at one,
// or has ended as those before it have, the code goes on with the block's next warp itself, from where that one stands.
#pragma once

#include "engine/codegen/function_state.hpp"

namespace warpwright::engine::codegen {

/// Where warps may be counted apart though code goes from one to the other: a register for the instructions of the
/// warp.
void count_warps(FunctionState& fn);
/// Adds those of a block of code.
void count_for_warp(FunctionState& fn, simt::BlockId b);
/// Writes them into the warp's frame, before the code goes on with another warp or another function with this one.
void keep_count_of_warp(FunctionState& fn, V frame);
/// Returns Status::barrier_all, which chain_warps() may make a step to the next warp.
void return_at_barrier(FunctionState& fn);
/// Returns Status::done, which chain_warps() may make one as well.
void return_at_end(FunctionState& fn);
/// After all code of the function is written.
void chain_warps(FunctionState& fn);

}  // namespace warpwright::engine::codegen
