// The cost of an access: sectors of global memory, wavefronts of shared memory. Costs known at compile time go into the
// site's layout and take no time; the rest is added to the site's counters when the access is done.
#pragma once

#include <utility>

#include "engine/codegen/access.hpp"

namespace warpwright::engine::codegen {

/// All lanes at one address; for converged copies, and for loads masked ones too.
void count_uniform_load(FunctionState& fn, const Access& a);
void count_uniform_store(FunctionState& fn, const Access& a);
/// One converged execution of an affine access; `base`: the address of the affine base.
void count_converged(FunctionState& fn, const Access& a, V base);
/// One masked execution of an affine access that is a single run.
void count_masked(FunctionState& fn, const Access& a, V base);
/// Local memory at one address for all lanes.
void count_local(FunctionState& fn, const Access& a);
/// One execution whose addresses the runtime finds and counts itself: the cost known at compile time is not its own.
void count_irregular(FunctionState& fn, const Access& a);

}  // namespace warpwright::engine::codegen
