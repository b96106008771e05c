// Converged code has masked copies only of the blocks that a complete warp can run with a part of its lanes. Elsewhere
// a stub replaces the masked copy. A warp that reaches one with lanes missing saves its values as at a barrier and
// returns Status::split; the kernel is then compiled completely, and the complete code continues from there.
#pragma once

#include "engine/codegen/function_state.hpp"

namespace warpwright::engine::codegen {

/// Finds the masked copies that converged code does without.
void find_stubs(FunctionState& fn);
/// In converged code: writes the stub that replaces b's masked copy.
void write_stub(FunctionState& fn, simt::BlockId b);
/// In complete code: continues where a stub gave up.
void after_stub(FunctionState& fn, simt::BlockId b);

}  // namespace warpwright::engine::codegen
