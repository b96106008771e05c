// What is asked of a launch's trace beside what simulates it. Private to this room.
#pragma once

#include "machine/trace.hpp"
#include "predict/bound.hpp"

namespace warpwright::predict {

/// Sectors that a whole launch reads and writes, by its trace.
struct UsedSectors {
    double read = 0, written = 0;
};
/// Nothing where the trace does not say it.
std::optional<UsedSectors> used_sectors(const Work& work);

/// Of the sample, in shared memory: atomics, and what they pass over in all.
struct SharedAtomics {
    double atomics = 0, turns = 0;
};
SharedAtomics shared_atomics(const Work& work);

/// Blocks of the launch's sample.
std::uint64_t sampled_blocks(const machine::LaunchTrace& trace);

/// All of these.
machine::TraceOutline outline_of(const Work& work);

}  // namespace warpwright::predict
