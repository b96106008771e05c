// Atomics and cp.async: done by the runtime, with a vector of addresses and the operands of all lanes.
#pragma once

#include "engine/codegen/function_state.hpp"
#include "support/result.hpp"

namespace warpwright::engine::codegen {

Result<void> emit_atomic(FunctionState& fn, const simt::Inst& i);
/// cp.async is done at once: a program may not look before it waits, and after that the effect is the same.
Result<void> emit_copy_async(FunctionState& fn, const simt::Inst& i);

}  // namespace warpwright::engine::codegen
