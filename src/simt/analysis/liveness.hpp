// Where values are live, computed for one value at a time: the work is proportional to the length of the answer.
#pragma once

#include <functional>

#include "simt/passes.hpp"

namespace warpwright::simt {

/// Calls `fn` once for each value that is read in a block before it is written there, or on an edge to a phi, in the
/// order of their numbers. It receives the blocks that write the value and those on entry to which it is live, each
/// unsorted. Accepts registers that are written many times as well as values in static single assignment form.
void each_live_value(
    const Function& f, const std::vector<std::vector<ValueId>>& extra,
    const std::function<void(ValueId, std::span<const BlockId> written, const std::vector<BlockId>& live)>& fn);

}  // namespace warpwright::simt
