// Barriers of a block, and waits for the lanes that a warp-level instruction names.
#pragma once

#include "engine/codegen/function_state.hpp"
#include "support/result.hpp"

namespace warpwright::engine::codegen {

/// Emits bar and barrier, which end the block.
Result<void> emit_barrier(FunctionState& fn, const simt::Inst& i);
/// Emits, in the masked copy, the start of a block that begins with a warp-level instruction: all lanes it names must
/// arrive.
void warp_wait(FunctionState& fn, simt::BlockId b, const simt::Inst& i);
/// Loads bar.red's result, which the runtime left in the frame.
V barrier_result(FunctionState& fn, const simt::Inst& i);

}  // namespace warpwright::engine::codegen
