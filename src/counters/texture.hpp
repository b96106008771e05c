// The turns of the texture unit for one warp's fetch or surface access: a pure function of what its lanes read.
#pragma once

#include <cstdint>
#include <span>

namespace warpwright::counters {

/// Bytes that a lane reads.
struct TexelRead {
    unsigned lane = 0;
    std::uint64_t address = 0;
    unsigned bytes = 0;
};

/// The unit takes four lanes at a time, and eight where these read one sector by whole numbers in one dimension
/// (`by_elements`). Lanes that are taken together wait for the one that needs most turns. `turns_of_lane` is indexed by
/// lane, 64 of them; only those of `mask` count.
unsigned texture_turns(std::uint64_t mask, std::span<const unsigned, 64> turns_of_lane,
                       std::span<const TexelRead> reads, bool by_elements);

}  // namespace warpwright::counters
