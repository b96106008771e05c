// Special registers: constants of the block shape, fields of the block's context, patterns of lanes, clocks.
#pragma once

#include "engine/codegen/function_state.hpp"

namespace warpwright::engine::codegen {

void emit_special_register(FunctionState& fn, const simt::Inst& i);

}  // namespace warpwright::engine::codegen
