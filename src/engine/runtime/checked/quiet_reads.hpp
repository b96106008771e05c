// Reads of lanes at separate places that are known at once to be no race: of memory that is quiet, or calm.
#pragma once

#include "engine/runtime/checked/checked_launch.hpp"

namespace warpwright::engine {

/// Does those reads of `mask` that quiet marks, or the block's log, show to be no race, and returns these lanes. Words,
/// pairs and four of them; of others, none. `data` is as for move_lanes().
std::uint64_t read_quiet_lanes(BlockContext* c, const WarpFrame* f, std::uint32_t index, const SiteInfo& info,
                               const std::uint64_t* addresses, std::uint64_t mask, std::uint8_t* data);

}  // namespace warpwright::engine
