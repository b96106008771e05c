// Atomics and cp.async: the runtime executes them, with a vector of addresses and the operands of all lanes.
#pragma once

#include "engine/codegen/function_state.hpp"
#include "support/result.hpp"

namespace warpwright::engine::codegen {

/// True for the constant 1, also in a register.
bool is_one(const FunctionState& fn, simt::Operand o);

Result<void> emit_atomic(FunctionState& fn, const simt::Inst& i);
/// cp.async copies at once: a program may not look at the target before it waits, and after that the effect is the
/// same.
Result<void> emit_copy_async(FunctionState& fn, const simt::Inst& i);

}  // namespace warpwright::engine::codegen
