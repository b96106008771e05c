// Addresses of local memory: code that is made for a kernel and the runtime's functions agree on them.
#pragma once

#include <cstdint>

namespace warpwright::engine {

/// The addresses that a register of 32 bits and an offset of 32 bits with a sign can give begin so far below 0, and are
/// so many.
inline constexpr std::uint64_t kMostBelowLocal = std::uint64_t{1} << 31, kLocalSums = std::uint64_t{1} << 33;

/// A register of 32 bits plus an offset: base minus something, plus an offset, goes round at 2^32. What no such
/// register and offset can give is left as it is, out of bounds.
inline std::uint64_t local_address(std::uint64_t address) {
    // Where the sum is below 0 it has gone round at 2^64.
    const bool can_be = address < kLocalSums - kMostBelowLocal || address >= std::uint64_t{0} - kMostBelowLocal;
    return can_be ? address & 0xffffffffu : address;
}

}  // namespace warpwright::engine
