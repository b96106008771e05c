// Thread frontiers: each block has a mask of lanes whose turn in it is to come; which block runs next.
#pragma once

#include "engine/codegen/function_state.hpp"

namespace warpwright::engine::codegen {

V load_pending(FunctionState& fn, simt::BlockId b);
void store_pending(FunctionState& fn, simt::BlockId b, V mask);
void add_pending(FunctionState& fn, simt::BlockId b, V mask);
/// Ends a masked copy: goes to the first of the candidates, and of the blocks that may have lanes while `from` runs,
/// that has some. `sure`: one of the candidates has.
void dispatch(FunctionState& fn, simt::BlockId from, std::vector<simt::BlockId> candidates, bool sure);
/// Whether lanes that have waited may go on at b.
bool may_be_picked(const FunctionState& fn, simt::BlockId b);

}  // namespace warpwright::engine::codegen
