// Accesses of many lanes at once under the checkers: what is in order at a glance need not be looked at lane by lane.
#pragma once

#include "engine/checked/checked_launch.hpp"

namespace warpwright::engine {

/// Does and notes the accesses of those lanes that are in order as far as can be seen at a glance, and says which those
/// are. `data` as for move_lanes().
std::uint64_t move_in_order(BlockContext* c, WarpFrame* f, std::uint32_t index, const SiteInfo& info,
                            const std::uint64_t* addresses, std::uint64_t mask, std::uint8_t* data, bool store);

}  // namespace warpwright::engine
