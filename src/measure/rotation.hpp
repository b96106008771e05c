// Keeps repeated runs from finding their inputs in the device's caches.
#pragma once

#include <cstdint>

namespace warpwright::measure {

struct Rotation {
    std::uint32_t sets = 1;  ///< sets of buffers that runs use in turn
    bool flush = false;  ///< the sets together are too small: the caches are filled with other data before each sample
};

/// For a problem whose inputs and outputs have `bytes`, and that needs `memory` bytes with its scratch space, on a
/// device whose last cache holds `cache` bytes: sets that together hold more than three times the cache, but at most 64
/// of them and at most 4 GiB. A cache of 0 (not known) gives one set and no flush.
Rotation plan_rotation(std::uint64_t bytes, std::uint64_t memory, std::uint64_t cache);

}  // namespace warpwright::measure
