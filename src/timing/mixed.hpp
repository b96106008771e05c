// Numbers that lie side by side, spread over all: for sets of caches, pages of the second level's slices, hash tables.
#pragma once

#include <cstdint>

namespace warpwright::timing {

inline std::uint64_t mixed(std::uint64_t x) {
    x ^= x >> 31;
    x *= 0x9e3779b97f4a7c15ull;
    return x ^ x >> 29;
}

}  // namespace warpwright::timing
