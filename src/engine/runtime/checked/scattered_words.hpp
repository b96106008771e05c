// Lanes that access one word of device memory each, at places that do not follow each other: gathers, columns, the odd
// lanes of a branch.
#pragma once

#include "engine/runtime/checked/access_in_order.hpp"

namespace warpwright::engine {

/// Whether an access is of that kind, wherever its lanes are.
inline bool are_scattered_words(const SiteInfo& info) {
    return info.space == simt::Space::global && info.count == 1 && (info.bytes == 4 || info.bytes == 8) && !info.unused;
}

/// Does and records those of these lanes' accesses that are in order, and returns them. `data` is as for move_lanes().
std::uint64_t move_scattered_words(BlockContext* c, WarpFrame* f, std::uint32_t index, const SiteInfo& info,
                                   const std::uint64_t* addresses, std::uint64_t mask, std::uint8_t* data, bool store);

/// A load of one word by each active lane, lane l's at start + 4 l, where the active lanes are no neighbours: 1 if all
/// of it is in order, and recorded as move_in_order() would. `shape` is as ww_chk_run has it.
std::uint32_t read_words_with_gaps(BlockContext* c, WarpFrame* f, std::uint32_t index, std::uint64_t start,
                                   std::uint64_t mask, std::uint32_t shape);

}  // namespace warpwright::engine
