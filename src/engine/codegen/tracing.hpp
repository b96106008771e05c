// Calls that tell the runtime which blocks of code a warp runs and what its accesses touch, in code that is made for
// the model of time (CodegenOptions::trace), and how long its accesses take in kernels that time themselves. Elsewhere
// they write nothing.
#pragma once

#include "engine/codegen/function_state.hpp"

namespace warpwright::engine::codegen {

/// A warp enters block `b` with the lanes that are active now.
void trace_block(FunctionState& fn, simt::BlockId b);
/// An access is about to happen (machine::is_traced), at the addresses of its first operand.
void trace_access(FunctionState& fn, const simt::Inst& i);

}  // namespace warpwright::engine::codegen
