// Calls of device functions and of system functions (printf, malloc and the like).
#pragma once

#include "engine/codegen/function_state.hpp"
#include "support/result.hpp"

namespace warpwright::engine::codegen {

Result<void> emit_call(FunctionState& fn, const simt::Inst& i);
Result<void> emit_system_call(FunctionState& fn, const simt::Inst& i);

}  // namespace warpwright::engine::codegen
