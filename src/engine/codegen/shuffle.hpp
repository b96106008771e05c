// shfl: a permutation known at compile time, one that AVX-512 does, or a call of the runtime.
#pragma once

#include "engine/codegen/function_state.hpp"
#include "support/result.hpp"

namespace warpwright::engine::codegen {

/// The mode of a shuffle, as the runtime numbers it: 0 up, 1 down, 2 butterfly, 3 by index.
std::uint32_t shuffle_mode(const simt::Details& i);
Result<void> emit_shuffle(FunctionState& fn, const simt::Inst& i);

}  // namespace warpwright::engine::codegen
