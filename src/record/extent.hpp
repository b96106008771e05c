// Three numbers: how many blocks a grid has, threads a block, blocks a cluster.
#pragma once

#include <cstdint>

namespace warpwright::record {

struct Extent {
    std::uint32_t x = 1, y = 1, z = 1;
    std::uint64_t count() const { return std::uint64_t{x} * y * z; }
    bool operator==(const Extent&) const = default;
};

}  // namespace warpwright::record
