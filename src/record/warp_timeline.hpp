// What each warp of one simulated multiprocessor did, cycle by cycle: which instruction it was at, and whether it
// issued it or what it waited for. Made by predict/warp_timeline, drawn by report/html/warp_page.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace warpwright::record {

struct WarpTimeline {
    struct State {
        std::string name;     ///< by Nsight Compute: "long_scoreboard"
        std::string meaning;  ///< "it waits for global or local memory, or for a texture"
    };
    /// A warp of a block that was resident. Warps of later blocks take the slots of those that have ended.
    struct Warp {
        std::uint32_t slot = 0, scheduler = 0;
        std::uint64_t block = 0;   ///< index in the grid
        std::uint32_t number = 0;  ///< in its block
        double begin = 0, end = 0;
    };
    struct Instruction {
        std::string text;  ///< "ld.global.f32"
        unsigned ptx_line = 0;
        std::string file;  ///< of the source; empty without line information
        unsigned line = 0;
        std::vector<double> cycles;  ///< by state: cycles of all warps, over the whole simulation
    };
    struct Interval {
        std::uint32_t warp = 0, instruction = 0, state = 0;  ///< indices into the lists
        double begin = 0, end = 0;                           ///< cycles
    };

    std::string kernel, model;
    double clock_hz = 0;
    double cycles = 0;  ///< that were simulated
    double shown = 0;   ///< intervals are kept up to this cycle
    std::uint32_t schedulers = 0, slots = 0;
    std::uint64_t blocks = 0;  ///< that were simulated
    std::vector<State> states;
    std::vector<Warp> warps;
    std::vector<Instruction> instructions;
    std::vector<Interval> intervals;

    bool operator==(const WarpTimeline&) const = delete;
};

}  // namespace warpwright::record
