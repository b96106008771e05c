// What the library that `run` loads first (src/takeover) offers the runtime library: the clocks that the program reads
// are replaced there, and the runtime library says when they stand still and how far they have come.
#pragma once

#include <cstdint>

namespace warpwright {

/// All times are nanoseconds.
struct HostClockFunctions {
    /// From now on the program's clocks are kept here. Before, and without this call, they are the system's.
    void (*start)();
    /// The calling thread enters one of our libraries, and leaves it: in between it has the system's clocks, and so
    /// have the threads that it starts; the program's clocks stand still. `at_least`: where they stand afterwards, on
    /// the clock that began with start(), unless they are further; `asked`: the program has asked whether work is done,
    /// and it was not: it waits, though not in a call.
    void (*enter)();
    void (*leave)(std::int64_t at_least, bool asked);
    /// The calling thread, one of ours, runs a function of the program's, and is back.
    void (*program)(bool begins);
    /// What the program has spent outside of our libraries since the last call of this.
    std::int64_t (*take_own)();
};

/// The function that gives them, by its name in the process.
inline constexpr const char* kHostClockFunctions = "warpwright_host_clock";
using GiveHostClock = const HostClockFunctions*();

}  // namespace warpwright
