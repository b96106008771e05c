// What is kept of a simulation besides its sums, where somebody asks for it: each warp's states, and what each
// instruction cost.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "machine/code.hpp"
#include "timing/multiprocessor.hpp"

namespace warpwright::timing {

struct WarpLog {
    struct Warp {
        std::uint32_t slot = 0, scheduler = 0;
        std::uint64_t block = 0;   ///< index in the grid
        std::uint32_t number = 0;  ///< in its block
        double begin = 0, end = 0;
    };
    struct Interval {
        std::uint32_t warp = 0;  ///< index into `warps`
        Stall state = Stall::wait;
        const simt::Details* at = nullptr;  ///< the instruction that the warp issues next
        double begin = 0, end = 0;          ///< cycles
    };

    double until = 0;  ///< intervals that begin at or after this cycle are not kept
    std::uint32_t schedulers = 0, slots = 0;
    std::vector<Warp> warps;
    std::vector<Interval> intervals;
    /// Cycles of all warps by the instruction that they issued next, over the whole simulation.
    std::unordered_map<const simt::Details*, std::array<double, kStalls>> by_instruction;

    void add(std::uint32_t warp, Stall state, const simt::Details* at, double begin, double end);
};

/// A state's name by Nsight Compute, and what it means.
const char* stall_name(Stall state);
const char* stall_meaning(Stall state);

}  // namespace warpwright::timing
