// Blocks and the edges between them: how a block's copy begins, and its end with the copies for phis.
#pragma once

#include "engine/codegen/function_state.hpp"

namespace warpwright::engine::codegen {

/// Begins the copy of block b that fn.at names: the lanes it waits for, and the lanes that run it.
void begin_block(FunctionState& fn, simt::BlockId b);
/// Writes the block's branch, jump, exit or trap.
void end_block(FunctionState& fn, simt::BlockId b);
/// Ends the warp when the launch is to stop, or has executed more instructions than it may: tested at the end of every
/// loop, and at every call, since a function may call itself. `b`: the block to name.
enum class StopAt { loop, call };
void check_stop(FunctionState& fn, simt::BlockId b, StopAt at = StopAt::loop);
/// Writes the phis of `to` for lanes that come from `from`; for all lanes if the mask is null.
void phi_copies(FunctionState& fn, simt::BlockId from, simt::BlockId to, V mask);

}  // namespace warpwright::engine::codegen
