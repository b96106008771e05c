// Warp-matrix instructions (mma, wmma, ldmatrix, stmatrix, movmatrix): fragments go through memory to C++ functions,
// which define the layouts (tensor/).
#pragma once

#include <vector>

#include "engine/codegen/function_state.hpp"
#include "support/result.hpp"

namespace warpwright::engine::codegen {

/// Stores a register of every lane into a fragment buffer; returns the number of words it took.
unsigned put_fragment(FunctionState& fn, V buffer, unsigned word, const simt::Operand& o);
/// Loads the output registers from a fragment buffer that a function has filled.
void take_fragment(FunctionState& fn, V buffer, const std::vector<simt::ValueId>& outs);
Result<void> emit_matrix(FunctionState& fn, const simt::Inst& i);
Result<void> emit_matrix_memory(FunctionState& fn, const simt::Inst& i);

}  // namespace warpwright::engine::codegen
