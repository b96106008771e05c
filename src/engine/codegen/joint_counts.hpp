// The transactions of a stretch (joint_bounds.hpp), counted once for all of its accesses whose addresses lie at known
// distances modulo a transaction: by the place of one of them (place_counts.hpp).
#pragma once

#include "engine/codegen/access.hpp"

namespace warpwright::engine::codegen {

/// Writes what counts the accesses that can be counted so, all of which are about to run, in bounds; they are in
/// Position::counted then.
void count_together(FunctionState& fn, const std::vector<Access>& accesses);

}  // namespace warpwright::engine::codegen
