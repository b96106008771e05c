// Loops over sets of lanes.
#pragma once

#include <bit>
#include <cstdint>

#include "shadow/deferred_reads.hpp"

namespace warpwright::engine {

/// Calls `use` for each lane of a set; for a whole warp without looking for them.
template <class Use>
[[gnu::always_inline]] inline void each_lane(std::uint64_t set, Use&& use) {
    if (set == shadow::kLoggedWarp) {
        for (unsigned l = 0; l < shadow::kLoggedLanes; ++l) use(l);
        return;
    }
    for (; set; set &= set - 1) use(static_cast<unsigned>(std::countr_zero(set)));
}

}  // namespace warpwright::engine
