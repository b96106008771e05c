// What the emulated device hands to the model of time: for some blocks of a launch, which blocks of code each warp ran
// with which lanes, and what each access touched.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "machine/code.hpp"

namespace warpwright::machine {

/// A block of code that a warp ran, or an access that it made there (these follow their block in the order of the
/// program).
struct Event {
    static constexpr std::uint32_t kAccess = 0x80000000u, kLocal = 0x40000000u, kConstant = 0x20000000u,
                                   kAtomic = 0x10000000u;
    std::uint32_t what = 0;   ///< block of code; accesses: kAccess, with kLocal, kConstant; kAtomic: in global memory
    std::uint32_t lanes = 0;  ///< how many were active
    std::uint32_t first = 0;  ///< global and local memory: where the sectors are in BlockTrace::sectors
    /// Global and local memory: sectors; of an atomic, a sector as often as lanes want its busiest word. 0: the access
    /// went to shared or constant memory.
    std::uint16_t count = 0;
    std::uint16_t passes = 0;  ///< shared memory: wavefronts; constants: addresses; else passes over the first level
};

struct WarpTrace {
    std::vector<Event> events;
    bool cut = false;  ///< it went on, but no more was kept
};

struct BlockTrace {
    std::uint64_t index = 0;  ///< of the block in its grid
    std::vector<WarpTrace> warps;
    std::vector<std::uint32_t> sectors;  ///< numbers of 32-byte sectors, from LaunchTrace::start on
    std::uint64_t events = 0;
};

/// An allocation of device memory that the launch used.
struct Area {
    std::uint64_t first = 0, sectors = 0;  ///< in sectors from LaunchTrace::start on
};

/// The sample of one launch.
struct LaunchTrace {
    std::shared_ptr<const Code> code;
    std::uint64_t start = 0;   ///< address of sector 0
    std::uint64_t blocks = 0;  ///< of the grid
    /// The sample is blocks first, first + stride, first + 2 * stride, ...: those of one multiprocessor.
    std::uint32_t first = 0, stride = 1;
    std::vector<BlockTrace> sample;
    /// By block of the grid: instructions of its warp that executed most, and of all its warps. Empty: not known.
    struct BlockWork {
        std::uint64_t most = 0, all = 0;
    };
    std::vector<BlockWork> work;
    std::vector<Area> areas;  ///< sorted
    double seconds_left = 0;  ///< of the launch's time limit, for whoever simulates it; 0: it had none
};

/// Larger grids do not say how much their single blocks do.
inline constexpr std::uint64_t kMostWeighed = 1 << 14;

/// Most events that a launch keeps. What goes beyond is left out, and said so by WarpTrace::cut.
inline constexpr std::uint64_t kMostEvents = 6'000'000;

}  // namespace warpwright::machine
