// Instructions new in sm_90, but for waits: operands of every lane go through memory to C++ functions
// (runtime/async_op.hpp).
#pragma once

#include "engine/codegen/function_state.hpp"
#include "support/result.hpp"

namespace warpwright::engine::codegen {

/// A buffer with all operands of all lanes, 64 bits each.
V lane_inputs(FunctionState& fn, const simt::Inst& i);
/// The number of the decoded instruction.
Result<unsigned> async_form(FunctionState& fn, const simt::Inst& i);
Result<void> emit_async_operation(FunctionState& fn, const simt::Inst& i);
/// wgmma.mma_async: computed when it is issued, with D in memory. Each warp of a group computes its own rows.
Result<void> emit_wgmma(FunctionState& fn, const simt::Inst& i);

}  // namespace warpwright::engine::codegen
