// Accesses of many lanes at once under the checkers: what quiet marks show to be in order is not checked lane by lane.
#pragma once

#include "engine/runtime/checked/checked_launch.hpp"

namespace warpwright::engine {

/// Does and records the accesses of those lanes that quiet marks and whole lines show to be in order, and returns those
/// lanes. `data` is as for move_lanes().
std::uint64_t move_in_order(BlockContext* c, WarpFrame* f, std::uint32_t index, const SiteInfo& info,
                            const std::uint64_t* addresses, std::uint64_t mask, std::uint8_t* data, bool store);

}  // namespace warpwright::engine
