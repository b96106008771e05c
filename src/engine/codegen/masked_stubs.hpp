// Converged code: masked copies only of the blocks that a whole warp can be in with a part of its lanes. Anywhere else
// a stub stands for the masked copy. A warp that comes to one with lanes missing saves its values as at a barrier and
// answers Status::split; the kernel is then compiled whole, and the whole code goes on from there.
#pragma once

#include "engine/codegen/function_state.hpp"

namespace warpwright::engine::codegen {

/// Which masked copies converged code does without.
void find_stubs(FunctionState& fn);
/// In converged code: the stub in place of b's masked copy.
void write_stub(FunctionState& fn, simt::BlockId b);
/// In whole code: going on where a stub gave up.
void after_stub(FunctionState& fn, simt::BlockId b);

}  // namespace warpwright::engine::codegen
