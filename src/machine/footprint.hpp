// How much of each allocation a launch touches, from the sample of its blocks: what must come from DRAM once, and what
// is written. The model of time and the bounds take it from here, so that no bound assumes more than a prediction.
#pragma once

#include <vector>

#include "machine/trace.hpp"

namespace warpwright::machine {

/// Of one area, in units of several sectors that come from DRAM together; not whole numbers.
struct Footprint {
    double sampled = 0;            ///< different units that the sample touches
    double of_all = 0;             ///< the sum over all blocks of the grid, as if no two of them touched the same
    double touched = 0;            ///< different units that the grid touches
    double read = 0, written = 0;  ///< of these, by loads and by stores; atomics do both
    double lines = 0;              ///< of four sectors, in which these lie
    double stored = 0;             ///< bytes that all stores write; of atomics whole sectors
    /// Blocks touch single units here and there, each once: as gathers, scatters and hash tables do.
    bool scattered = false;
    /// The chance that a unit which the sample's multiprocessor touches first was touched by no other before.
    double chance() const { return of_all > 0 ? touched / of_all : 1; }
};

/// By area; a launch without areas has one. `share`: of the grid's work, what the sample has; `unit`: sectors.
std::vector<Footprint> footprints(const LaunchTrace& trace, double share, unsigned unit);

/// Different sectors of local memory that a block of the sample touches, on average.
double local_footprint(const LaunchTrace& trace);

/// Instructions of warps that the sample executed, as counters have them.
double counted_in(const LaunchTrace& trace);

/// Of how large a set the blocks each draw `each` members, if `blocks` of them have drawn `distinct` in all; infinite
/// where no two drew the same.
double drawn_from(double each, double blocks, double distinct);
/// How many different ones `blocks` of them draw from a set of that size.
double drawn(double set, double each, double blocks);

}  // namespace warpwright::machine
