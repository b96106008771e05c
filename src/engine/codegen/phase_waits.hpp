// Waiting for a phase of an mbarrier or of the cluster's barrier: the warp (or its lanes) leaves and comes back when
// the phase is over.
#pragma once

#include "engine/codegen/function_state.hpp"
#include "support/result.hpp"

namespace warpwright::engine::codegen {

/// Lanes of one warp that wait for different phases, and those that are further on, may not overtake each other where
/// they would meet again in a loop: values that are one for the warp would be of two iterations at once. Blocks between
/// which that can happen are one class; its lanes go on together. Lanes that never meet in a loop (a producer's and its
/// consumers', say) are free.
void find_phase_waits(FunctionState& fn);

/// Start of a masked copy of a block that waits for a phase: the lanes here wait, all of them, and the lanes pending
/// further on that must not overtake them.
void phase_wait_partial(FunctionState& fn, simt::BlockId b, const simt::Inst& i);
Result<void> emit_phase_wait(FunctionState& fn, const simt::Inst& i);

}  // namespace warpwright::engine::codegen
