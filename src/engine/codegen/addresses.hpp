// Addresses and parameters: of variables and functions, generic ones and those of a space, loads of kernel parameters.
#pragma once

#include "engine/codegen/function_state.hpp"

namespace warpwright::engine::codegen {

void emit_address(FunctionState& fn, const simt::Inst& i);
void emit_function_address(FunctionState& fn, const simt::Inst& i);
/// cvta: an address of a space as a generic one, or the other way.
void emit_generic_address(FunctionState& fn, const simt::Inst& i);
/// isspacep.
void emit_is_in_space(FunctionState& fn, const simt::Inst& i);
void emit_parameter(FunctionState& fn, const simt::Inst& i);

}  // namespace warpwright::engine::codegen
