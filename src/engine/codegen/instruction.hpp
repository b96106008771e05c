// One instruction of the warp IR: chooses the emitter that writes it.
#pragma once

#include "engine/codegen/function_state.hpp"
#include "support/result.hpp"

namespace warpwright::engine::codegen {

/// Writes the instruction at fn.at. An error names the part that is not supported.
Result<void> emit_instruction(FunctionState& fn, const simt::Inst& i);

/// What follows is emitted with a mark of the PTX line (CodegenOptions::mark_lines; Jit::object reads it).
void mark_line(FunctionState& fn, const simt::Inst& i);

}  // namespace warpwright::engine::codegen
