// Barriers of a block, and waiting of lanes for the others that a warp-level instruction names.
#pragma once

#include "engine/codegen/function_state.hpp"
#include "support/result.hpp"

namespace warpwright::engine::codegen {

/// bar and barrier: the block ends here.
Result<void> emit_barrier(FunctionState& fn, const simt::Inst& i);
/// Start of a block that begins with a warp-level instruction, in the partial copy: all lanes it names must be here.
void warp_wait(FunctionState& fn, simt::BlockId b, const simt::Inst& i);
/// bar.red's result from what the runtime left in the frame.
V barrier_result(FunctionState& fn, const simt::Inst& i);

}  // namespace warpwright::engine::codegen
