// Counts that were taken from a sample of the blocks and scaled up: the sample, and their accuracy.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <string>

#include "record/counts.hpp"

namespace warpwright::record {

/// The counts on which reports and bounds rest: of a sample, each must reach the accuracy that was asked for.
inline constexpr Count kMainCounts[] = {Count::instructions,
                                        Count::thread_instructions,
                                        Count::global_load_sectors,
                                        Count::global_store_sectors,
                                        Count::global_atomic_sectors,
                                        Count::shared_load_wavefronts,
                                        Count::shared_store_wavefronts,
                                        Count::flops};

struct Sample {
    std::uint64_t blocks = 0, run = 0;  ///< of the grid; of these, how many ran
    std::string which;                  ///< "2 of 2 at the ends, 64 of 65,534 between"
    std::string why_all;                ///< if all blocks ran after all: the reason
    /// Half the width of each count's 95 % interval; 0 where the blocks that ran are alike.
    std::array<double, kCounts> half_width{};

    double relative(const Counts& counts, Count c) const {
        const auto total = static_cast<double>(counts[c]);
        return total > 0 ? half_width[static_cast<unsigned>(c)] / total : 0;
    }
};

}  // namespace warpwright::record
