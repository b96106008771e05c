// Warp-matrix instructions (mma, wmma, ldmatrix, stmatrix, movmatrix): fragments go through memory to C++ functions,
// which know the layouts (tensor/).
#pragma once

#include <vector>

#include "engine/codegen/function_state.hpp"
#include "support/result.hpp"

namespace warpwright::engine::codegen {

/// Puts a register of every lane into a fragment buffer; gives the words it took.
unsigned put_fragment(FunctionState& fn, V buffer, unsigned word, const simt::Operand& o);
/// What a function has left in a fragment buffer, to the output registers.
void take_fragment(FunctionState& fn, V buffer, const std::vector<simt::ValueId>& outs);
Result<void> emit_matrix(FunctionState& fn, const simt::Inst& i);
Result<void> emit_matrix_memory(FunctionState& fn, const simt::Inst& i);

}  // namespace warpwright::engine::codegen
