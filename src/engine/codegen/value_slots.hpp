// Values that cross blocks: the slot of each, its place in the frame, and saving it there while a warp waits.
#pragma once

#include "engine/codegen/function_state.hpp"

namespace warpwright::engine::codegen {

/// Finds the values that each affine form is read with: they are needed wherever it is.
void find_affine_parts(FunctionState& fn);
/// Finds the values that need a slot, and their places in the frame.
void find_slots(FunctionState& fn);
/// Finds the values that may be a NaN with the host's bits: results of float arithmetic, and copies of them.
void find_nans(FunctionState& fn);

/// The values that block b needs: live at its start, and its phis.
simt::BitSet live_with_phis(const FunctionState& fn, simt::BlockId b);
/// Which values lanes that wait, for a barrier or a phase anywhere, need when it is their turn; those that save() puts
/// into the frame. When the slots are there.
void find_live_where_picked(FunctionState& fn);
/// Which values the frame has already where a warp comes to a barrier together: those that it has saved at one before,
/// and nothing has defined since. When the slots are there.
void find_kept(FunctionState& fn);
/// save() of what block `next` needs, at a barrier at the end of the present one.
void save_at_barrier(FunctionState& fn, simt::BlockId next);
/// Copies slots to the frame, and back.
void save(FunctionState& fn, const simt::BitSet& values);
void restore(FunctionState& fn, const simt::BitSet& values);

}  // namespace warpwright::engine::codegen
