// In which order the blocks and warps of a launch take their turns. Each order is the same in every run.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "machine/code.hpp"
#include "support/result.hpp"

namespace warpwright::engine {

struct Schedule {
    enum class Kind : std::uint8_t {
        forward,  ///< by clock; of those that are equal, the lower number first
        reverse,  ///< the higher number first
        random,   ///< by chance: clocks run unevenly, and of those that are equal any may be first
    };
    Kind kind = Kind::forward;
    std::uint64_t seed = 0;

    bool operator==(const Schedule&) const = default;
    /// A number drawn for two others; the same each time.
    std::uint64_t drawn(std::uint64_t a, std::uint64_t b) const;
};

/// "forward", "reverse" or "random:SEED"; empty: forward. `where` names the text in an error.
Result<Schedule> parse_schedule(const std::string& text, const std::string& where);

/// What instructions of kernels that time themselves take, in cycles: figures of the device model.
struct Latencies {
    Latencies() { result.fill(4), interval.fill(1); }
    std::array<double, machine::kPipes> result, interval;  ///< by pipe: of a result, and of a warp's operation in it
    double shared = 23, l1 = 33, l2 = 270, memory = 680, constant = 24;
    double atomic_shared = 60, atomic_global = 300;
    double request = 1;            ///< of the load/store unit, for a request of a warp
    double guard = 9, branch = 5;  ///< of a predicate until a branch reads it, of a branch
    double barrier = 20;
    std::uint64_t l1_bytes = 128 * 1024, l2_bytes = 40 * 1024 * 1024;
    bool l1_unified = true;  ///< shared memory is a part of the first level
};

/// What decides how many blocks are in flight at a time, and how their clocks run: figures of the device model.
struct Pace {
    std::uint64_t threads = 2048, blocks = 32, shared = 228 * 1024;  ///< that a multiprocessor holds at most
    std::uint64_t reserved_shared = 1024;                            ///< bytes of each block that the system takes
    std::uint64_t trip = 600;                                        ///< cycles to the second level and back
    std::uint64_t schedulers = 4;                                    ///< warps that begin an instruction in a cycle
    double hertz = 1.5e9;                                            ///< of the clock that kernels read
    Latencies latencies;

    /// Blocks that a multiprocessor holds, as far as threads and shared memory decide it: at least one.
    std::uint64_t resident(std::uint64_t threads_of_block, std::uint64_t shared_of_block) const;
};

/// What a warp takes for so many instructions, of which each waits for the one before, and so many trips.
inline std::uint64_t warp_cycles(const Pace& pace, std::uint64_t instructions, std::uint64_t trips) {
    constexpr std::uint64_t kDependent = 4;  // cycles from an instruction to one that needs its result
    return kDependent * instructions + pace.trip * trips;
}

}  // namespace warpwright::engine
