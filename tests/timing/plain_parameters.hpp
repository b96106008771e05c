// A device without what tests of single rules would have to subtract: nothing is waited for before the first
// instruction.
#pragma once

#include "timing/parameters.hpp"

namespace warpwright::timing {

inline Parameters plain() {
    Parameters p;
    for (auto& pipe : p.pipes) pipe = {1, 4};
    p.fetch_latency = p.constant_miss = 0;
    p.block_interval = p.block_start = 0;
    p.memory_bytes = 1e9;
    p.l2_size = 50e6;
    return p;
}

}  // namespace warpwright::timing
