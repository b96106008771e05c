// How much longer a grid takes because its blocks have unequal work: a few long ones keep the launch from its end when
// all others are over. Private to this room.
#pragma once

#include <vector>

namespace warpwright::timing {

/// The multiprocessors that blocks come to.
struct Places {
    unsigned multiprocessors = 1, resident = 1;
    /// Cycles per unit of a block's work: where it is alone on its multiprocessor, and where all places are taken.
    double alone = 1, crowded = 1;
};

/// Cycles until the last block is over. They are handed out in their order, each to the multiprocessor that first has
/// room; those that are on one share it.
double cycles_of_blocks(const std::vector<double>& work, const Places& places);

/// Over the cycles of as many blocks that all have the mean work.
double unequal_over_equal(const std::vector<double>& work, const Places& places);

}  // namespace warpwright::timing
