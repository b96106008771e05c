// Operations on the lanes of a warp together that do not wait: votes, matches, reductions, elections, the active mask.
#pragma once

#include "engine/codegen/function_state.hpp"
#include "support/result.hpp"

namespace warpwright::engine::codegen {

Result<void> emit_warp_operation(FunctionState& fn, const simt::Inst& i);

}  // namespace warpwright::engine::codegen
