// The shape of work groups: what a kernel allows, and what is chosen where the program leaves it to us.
#pragma once

#include "opencl/state/objects.hpp"

namespace warpwright::opencl {

/// Work items of the largest group of this kernel.
std::size_t most_threads(const Kernel& kernel);
/// Work items that issue together.
unsigned warp_size();

struct Range {
    std::size_t x = 1, y = 1, z = 1;
};
/// A group's shape that divides the range: as many items as fit in 256 along x, then y, then z; along x whole warps
/// where the range allows it.
Range chosen_group(const Range& global, std::size_t most);

}  // namespace warpwright::opencl
