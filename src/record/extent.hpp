// Three numbers: how many blocks a grid has, threads per block, blocks per cluster.
#pragma once

#include <cstdint>

namespace warpwright::record {

struct Extent {
    std::uint32_t x = 1, y = 1, z = 1;
    std::uint64_t count() const { return std::uint64_t{x} * y * z; }
    bool operator==(const Extent&) const = default;
};

}  // namespace warpwright::record
