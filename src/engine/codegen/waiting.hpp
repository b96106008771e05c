// Leaving a function where a warp waits and coming back to it: resume points, and the choice of what runs when nothing
// is pending that the block before knew of.
#pragma once

#include "engine/codegen/function_state.hpp"

namespace warpwright::engine::codegen {

/// A new place to come back to; the frame names it from here on.
unsigned new_resume_point(FunctionState& fn);
/// `here` is where a warp comes back to; goes on writing there.
void resume_at(FunctionState& fn, unsigned point, llvm::BasicBlock* here);
/// The block that masked copies go to when nothing is pending that they know of: lanes wait, or all are gone. Strict
/// functions come here always.
void slow_dispatch(FunctionState& fn);

}  // namespace warpwright::engine::codegen
