// cp.async of lanes that follow each other in both memories, a line of shared memory at a time.
#pragma once

#include "engine/runtime/checked/checked_launch.hpp"

namespace warpwright::engine {

/// Lanes that copy all of their bytes, from the lowest on, one behind the other in both memories.
struct CopyRun {
    unsigned first = 0, lanes = 0;
    std::uint64_t mask() const { return ((std::uint64_t{1} << lanes) - 1) << first; }
};
/// That of the lowest lane of `mask`, of the lanes below 32; it may have no other.
CopyRun copy_run_of(const std::uint64_t* to, const std::uint64_t* from, const std::uint64_t* sizes, std::uint64_t mask,
                    unsigned bytes);
/// Does and records the copies of a run as far as they fill lines and are in order; returns the number of those lanes,
/// from its first on. They are left as single lanes leave them, and are put into `copy`.
unsigned copy_run_in_order(BlockContext* c, WarpFrame* f, std::uint32_t index, const CopyRun& run, std::uint64_t to,
                           std::uint64_t from, PendingCopy& copy);

/// Lanes of `lanes`, from its lowest on, whose copies fill a line that nobody has touched since: they count as made by
/// the threads now. Returns them; 0: the lowest one's copy is to be looked at word by word.
std::uint64_t settle_line(CheckBlock& block, unsigned warp, const PendingCopy& copy, std::uint64_t lanes);

}  // namespace warpwright::engine
