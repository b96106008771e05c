// One instruction of the warp IR: which emitter writes it.
#pragma once

#include "engine/codegen/function_state.hpp"
#include "support/result.hpp"

namespace warpwright::engine::codegen {

/// Writes the instruction where fn.at says. An error names what is not supported of it.
Result<void> emit_instruction(FunctionState& fn, const simt::Inst& i);

/// What follows is emitted with a mark of the PTX line (CodegenOptions::mark_lines; Jit::object reads it).
void mark_line(FunctionState& fn, const simt::Inst& i);

}  // namespace warpwright::engine::codegen
