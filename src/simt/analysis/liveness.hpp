// Where values are live, one value at a time: the work is what the answer is long.
#pragma once

#include <functional>

#include "simt/passes.hpp"

namespace warpwright::simt {

/// Calls `fn` once for each value that is read in a block before it is written there, or on an edge to a phi, in the
/// order of their numbers: with the blocks that write it and those on entry to which it is live, each in no order.
/// Takes registers that are written many times as well as values in static single assignment form.
void each_live_value(
    const Function& f, const std::vector<std::vector<ValueId>>& extra,
    const std::function<void(ValueId, std::span<const BlockId> written, const std::vector<BlockId>& live)>& fn);

}  // namespace warpwright::simt
