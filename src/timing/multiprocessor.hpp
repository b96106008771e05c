// One multiprocessor at work: schedulers that pick a warp each cycle, pipes, the load/store unit, barriers, blocks that
// come and go. It is driven by the trace of the blocks that it gets (machine/trace.hpp). Every issue of an instruction
// is simulated; cycles in which nothing can be issued are skipped.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "machine/trace.hpp"
#include "timing/memory.hpp"
#include "timing/parameters.hpp"

namespace warpwright::timing {

/// Where warps stand, by Nsight Compute's names (smsp__average_warps_issue_stalled_*).
enum class Stall : std::uint8_t {
#define WW_STALL(name, text, meaning) name,
#include "timing/stalls.inc"
#undef WW_STALL
    size_
};
inline constexpr unsigned kStalls = static_cast<unsigned>(Stall::size_);

/// What the simulation of a sample came to.
struct SimulationResult {
    double cycles = 0;                          ///< until the last block has ended
    double active = 0;                          ///< until the last warp has left, though what it stored goes on
    std::vector<double> began;                  ///< cycle at which each block of the sample began, in their order
    std::vector<double> ended;                  ///< cycle at which each block of the sample ended, in their order
    double issues = 0;                          ///< issue slots used
    std::array<double, kStalls> warp_cycles{};  ///< cycles of all warps, by where they stood
    /// The same by the instruction that they issued next (at a barrier or a fence: that one), as Code::instructions
    /// numbers issue slots: those of all blocks, of all that is unrolled, of all regions.
    std::vector<std::array<double, kStalls>> by_slot;
    double resident_cycles = 0;  ///< cycles times resident warps
    Traffic traffic;
    double atomic_cycles = 0, memory_cycles = 0;  ///< of the whole launch at least
    double memory_cycles_in_a_row = 0;            ///< the same where launches follow each other
    bool cut = false;                             ///< a block's trace ends before the block does
    bool stopped = false;  ///< the launch's time limit was over before the simulation was: the rest is not known
    bool enough = false;   ///< whoever was asked (Enough) wanted no more of it: likewise
};

/// The conditions under which the multiprocessor runs.
struct SmConditions {
    unsigned resident = 1;  ///< blocks of a multiprocessor
    double l1_bytes = 0;    ///< of the first level that shared memory leaves
    double active = 1;      ///< multiprocessors at work
    double share = 1;       ///< of the grid's blocks, what the sample has
    double alike = 0;       ///< multiprocessors like this one that would do what all do (MemorySystem)
};

struct WarpLog;  // warp_log.hpp

/// What a simulation that goes on will come to at least: what is left to do takes its time in the load/store unit and
/// in the schedulers, whatever else warps wait for.
struct LeastCourse {
    double cycles = 0;          ///< SimulationResult::cycles is no less
    std::vector<double> ended;  ///< of SimulationResult::ended, in rising order, each is no less
    std::vector<double> known;  ///< likewise the first ones, as many as are there: each is no more
};
/// Asked now and then while a simulation goes on; true ends it.
using Enough = std::function<bool(const LeastCourse&)>;

/// Stops when LaunchTrace::seconds_left are over. `log`: to keep more than the sums; may be null. `enough`: may be
/// empty.
SimulationResult simulate(const Parameters& parameters, const machine::LaunchTrace& trace,
                          const SmConditions& conditions, WarpLog* log = nullptr, const Enough& enough = {});

}  // namespace warpwright::timing
