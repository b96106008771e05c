// The time that a launch is predicted to take on a device model, and why. docs/timing.md says how it is made.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "arch/model.hpp"
#include "machine/mix.hpp"
#include "machine/trace.hpp"
#include "support/result.hpp"
#include "timing/multiprocessor.hpp"

namespace warpwright::timing {

/// What is known of a launch besides its trace.
struct LaunchShape {
    std::uint64_t blocks = 1;     ///< of the grid
    std::uint64_t threads = 32;   ///< of a block
    std::uint32_t registers = 0;  ///< of a thread
    std::uint64_t shared = 0;     ///< static and dynamic, bytes of a block
    double instructions = 0;      ///< of all warps, as counted: what the sample is scaled by; 0: by blocks
    /// Launches like this one follow each other, on buffers that the second level has lost since they were used last:
    /// what one leaves written there is written to DRAM while the next ones run.
    bool in_a_row = false;
};

/// Where warps stood at a source line.
struct LineStalls {
    std::uint32_t file = 0, line = 0;  ///< as simt::SourceLine has them; line 0: instructions without one
    std::array<double, kStalls> stalls{};
};

struct Prediction {
    double seconds = 0;
    double cycles = 0;                       ///< from the first block's start to the last one's end
    double start_seconds = 0;                ///< what any launch takes, within `seconds`
    double issue = 0;                        ///< of the issue slots, what was used: 0 to 1
    double l1_hit = 0, l2_hit = 0;           ///< 0 to 1; 0 where nothing was looked up
    double dram_read = 0, dram_written = 0;  ///< bytes
    double occupancy = 0;                    ///< resident warps on average over those possible
    double machine_instructions = 0;
    std::array<double, machine::kMixes> mix{};  ///< the same by machine::Mix
    std::array<double, kStalls> stalls{};       ///< warp cycles per issue, by where warps stood
    std::vector<LineStalls> lines;              ///< the same by source line; their sum is `stalls`
    double simulated = 0;                       ///< of the grid's work, what was simulated: 0 to 1
    bool part = false;                          ///< of a multiprocessor's blocks, only some were simulated
    bool beyond = false;                        ///< it would be as long as predict() was asked for at least: no
                                                ///< figure is known, and `seconds` is infinite
};

/// That a launch has no predicted time, and why (kind limit).
Error no_time(std::string why);

/// An error (kind limit) where the launch is not possible on the model, the model lacks a rate that the launch needs,
/// the trace is empty, or the launch's time limit is over before the simulation is (LaunchTrace::seconds_left). `log`:
/// to keep what warps did (warp_log.hpp); may be null. `enough`: seconds from which on nobody wants to know how many
/// (Prediction::beyond); a time below that is the same as without.
Result<Prediction> predict(const machine::LaunchTrace& trace, const LaunchShape& shape, const arch::DeviceModel& model,
                           WarpLog* log = nullptr, double enough = std::numeric_limits<double>::infinity());

/// Blocks that a trace should have for a launch of that shape: as many as show the multiprocessor at full work.
std::uint32_t blocks_to_trace(const LaunchShape& shape, const arch::DeviceModel& model);

}  // namespace warpwright::timing
