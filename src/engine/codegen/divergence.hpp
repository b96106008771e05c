// Thread frontiers: each block has a pending mask, the lanes that are still to run it. This chooses the next block.
#pragma once

#include "engine/codegen/function_state.hpp"

namespace warpwright::engine::codegen {

V load_pending(FunctionState& fn, simt::BlockId b);
void store_pending(FunctionState& fn, simt::BlockId b, V mask);
void add_pending(FunctionState& fn, simt::BlockId b, V mask);
/// Writes down that no lanes are pending, as where all are together: LLVM then keeps no masks in registers there.
void none_pending(FunctionState& fn);
/// Ends a masked copy: jumps to the first block with pending lanes among the candidates and the blocks that may have
/// lanes while `from` runs. `sure`: one of the candidates has some.
void dispatch(FunctionState& fn, simt::BlockId from, std::vector<simt::BlockId> candidates, bool sure);
/// Whether lanes that have waited may continue at b.
bool may_be_picked(const FunctionState& fn, simt::BlockId b);

}  // namespace warpwright::engine::codegen
