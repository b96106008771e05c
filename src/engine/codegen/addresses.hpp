// Addresses (of variables and functions, generic ones and those of a space) and loads of kernel parameters.
#pragma once

#include "engine/codegen/function_state.hpp"

namespace warpwright::engine::codegen {

void emit_address(FunctionState& fn, const simt::Inst& i);
void emit_function_address(FunctionState& fn, const simt::Inst& i);
/// cvta: converts an address of a space to a generic one, or back.
void emit_generic_address(FunctionState& fn, const simt::Inst& i);
/// isspacep.
void emit_is_in_space(FunctionState& fn, const simt::Inst& i);
void emit_parameter(FunctionState& fn, const simt::Inst& i);

}  // namespace warpwright::engine::codegen
