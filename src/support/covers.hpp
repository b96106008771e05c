// The one test of bounds: whether a piece of memory contains an access. A kernel chooses addresses and sizes, so no
// sums of them may be compared; tests/architecture refuses such sums in the engine's runtime.
#pragma once

#include <cstdint>

namespace warpwright {

/// Whether [address, address + bytes) lies within [base, base + size). No operation here can wrap.
constexpr bool covers(std::uint64_t base, std::uint64_t size, std::uint64_t address, std::uint64_t bytes) {
    return bytes <= size && address - base <= size - bytes;
}

}  // namespace warpwright
