// Launches that an H200 refuses. Each face of the emulated device has a test that gives it all of these: what one of
// them refuses, the others must refuse as well, with the same words where they have any.
#pragma once

#include <cstdint>

namespace warpwright::test {

/// A kernel `k` without parameters.
inline constexpr const char* kAnyKernel =
    ".version 7.8\n.target sm_80\n.address_size 64\n.visible .entry k() { .reg .b32 %r<2>; mov.u32 %r1, 0; ret; }\n";

struct OverLimit {
    std::uint32_t grid[3], block[3];
    std::uint32_t dynamic_shared;  ///< bytes
    bool cooperative;
    int cuda;           ///< cudaError_t
    const char* words;  ///< in the message
};

inline constexpr OverLimit kOverLimits[] = {
    {{1, 65536, 1}, {32, 1, 1}, 0, false, 9, "launch of 'k': grid.y is 65536, the device allows 65535"},
    {{1, 1, 1}, {1, 1, 65}, 0, false, 9, "launch of 'k': block.z is 65, the device allows 64"},
    {{1, 1, 1}, {1024, 2, 1}, 0, false, 9, "launch of 'k': threads per block is 2048, the device allows 1024"},
    {{1, 1, 1},
     {32, 1, 1},
     227 * 1024 + 1,
     false,
     1,
     "launch of 'k': shared memory per block in bytes is 232449, the device allows 232448"},
    {{265, 1, 1},
     {1024, 1, 1},
     0,
     true,
     720,
     "launch of 'k': a cooperative grid of 265 blocks, of which 264 can be resident at once"},
};

}  // namespace warpwright::test
