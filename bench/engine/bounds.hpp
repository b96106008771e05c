// The bound of a problem: how long this machine needs at least for what the problem consists of, by rates that are
// measured in the same run on the same cores.
#pragma once

#include <string>

#include "problems.hpp"

namespace warpwright::bench {

struct Bound {
    double seconds = 0;
    std::string by;  ///< "vector units", "L1", "memory", "gathers" or "atomics": what takes longest
};

/// The machine's rates for the work, on this many cores: the longest of its parts. `footprint`: bytes of all buffers.
Bound bound_of(const Work& work, double footprint, unsigned cores);

}  // namespace warpwright::bench
