// Barriers of the whole block without a way back to the scheduler: where a warp waits at one, the code goes on with the
// block's next warp itself, from where that one stands.
#pragma once

#include "engine/codegen/function_state.hpp"

namespace warpwright::engine::codegen {

/// Returns Status::barrier_all, which chain_warps() may make a step to the next warp.
void return_at_barrier(FunctionState& fn);
/// After all code of the function is written.
void chain_warps(FunctionState& fn);

}  // namespace warpwright::engine::codegen
