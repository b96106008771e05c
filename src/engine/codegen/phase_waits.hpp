// Waits for a phase of an mbarrier or of the cluster's barrier: the warp (or its lanes) returns to the scheduler and
// resumes when the phase is complete.
#pragma once

#include "engine/codegen/function_state.hpp"
#include "support/result.hpp"

namespace warpwright::engine::codegen {

/// Lanes of one warp that wait for different phases may not overtake each other, nor be overtaken, where they would
/// meet again in a loop: values that are uniform in the warp would belong to two iterations at once. Blocks between
/// which that can happen form one class, whose lanes continue together. Lanes that never meet in a loop (such as a
/// producer's and its consumers') are independent.
void find_phase_waits(FunctionState& fn);

/// Start of a masked copy of a block that waits for a phase: the lanes here wait together, and so do the lanes pending
/// further on that must not overtake them.
void phase_wait_partial(FunctionState& fn, simt::BlockId b, const simt::Inst& i);
Result<void> emit_phase_wait(FunctionState& fn, const simt::Inst& i);

}  // namespace warpwright::engine::codegen
