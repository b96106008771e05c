// One value from two ways of getting it: the usual one, and one for when a condition does not hold.
#pragma once

#include <functional>
#include <vector>

#include "engine/codegen/function_state.hpp"

namespace warpwright::engine::codegen {

/// Writes `hot` for where the condition holds, which is nearly always, and `cold` for where it does not; gives what
/// they gave, or null where hot() gives null.
V in_two_ways(FunctionState& fn, V condition, const std::function<V()>& hot, const std::function<V()>& cold);
/// Several vectors as one struct value, for a phi.
V bundle(FunctionState& fn, const std::vector<V>& parts);
/// Part k of what bundle() made of `count` values.
V unbundle(FunctionState& fn, V whole, unsigned k, unsigned count);

}  // namespace warpwright::engine::codegen
