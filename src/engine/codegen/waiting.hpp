// Leaves a function where a warp waits and returns to it: resume points, and the choice of the next block when no block
// that the code knows of is pending.
#pragma once

#include "engine/codegen/function_state.hpp"

namespace warpwright::engine::codegen {

/// A new resume point; the frame names it from here on.
unsigned new_resume_point(FunctionState& fn);
/// Makes `here` the place of a resume point; the builder continues there.
void resume_at(FunctionState& fn, unsigned point, llvm::BasicBlock* here);
/// The block to which masked copies jump when no block that they know of is pending: lanes wait, or all have exited.
/// Strict functions always use it.
void slow_dispatch(FunctionState& fn);

}  // namespace warpwright::engine::codegen
