// Instructions that compute from values only: arithmetic (arith/), moves, selects, packing.
#pragma once

#include "engine/codegen/function_state.hpp"
#include "support/result.hpp"

namespace warpwright::engine::codegen {

Result<void> emit_arithmetic(FunctionState& fn, const simt::Inst& i);
void emit_move(FunctionState& fn, const simt::Inst& i);
void emit_select(FunctionState& fn, const simt::Inst& i);
void emit_pack(FunctionState& fn, const simt::Inst& i);
void emit_unpack(FunctionState& fn, const simt::Inst& i);

}  // namespace warpwright::engine::codegen
