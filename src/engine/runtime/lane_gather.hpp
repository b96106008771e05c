// Loads and stores of a warp's lanes at any addresses within one piece of memory, by the CPU's gathers where it has
// them. Of runtime_memory.cpp alone.
#pragma once

#include <cstdint>

namespace warpwright::engine {

/// What the lanes may touch: addresses from `first` on, after cutting; `to` further on is where they lie in the host.
struct LaneRange {
    std::uint64_t first = 0, bytes = 0, to = 0, cut = ~std::uint64_t{0};
};

/// Moves `count` elements of `bytes` (4 or 8) for each lane of `mask`; data is [element][lane] of 32 lanes. Where lanes
/// store to one place the highest one's value stays. False, with nothing done, where a lane is outside the range or not
/// at a multiple of its whole width, or this CPU has no such instructions.
bool move_in_range(const LaneRange& range, const std::uint64_t* addresses, std::uint32_t mask, unsigned bytes,
                   unsigned count, void* data, bool store);

/// The same of local memory, whose words lie 32 lanes apart from `words` on, for elements of 1, 2, 4 or 8 bytes:
/// addresses from `base` on, below `size`.
bool move_in_local(std::uint8_t* words, std::uint64_t base, std::uint64_t size, const std::uint64_t* addresses,
                   std::uint32_t mask, unsigned bytes, unsigned count, void* data, bool store);

}  // namespace warpwright::engine
