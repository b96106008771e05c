// Time in kernels that time themselves: between two reads of the clock a warp takes what its own instructions take by
// the device model, each after those whose results it needs (codegen/self_timing.hpp writes the code). What memory
// takes depends on where the data lies: the first level of the block's multiprocessor, the second level, DRAM.
#pragma once

#include <array>
#include <cstdint>
#include <list>
#include <map>
#include <mutex>
#include <unordered_map>

#include "engine/shared/schedule.hpp"
#include "engine/shared/traced_access.hpp"

namespace warpwright::engine {

/// Ticks of a cycle, in which WarpFrame::ticks counts.
inline constexpr std::uint64_t kTicks = 16;

/// What a cache has: lines of 128 bytes with a mark for each sector of 32; the line that was longest unused goes first.
class CacheTags {
public:
    explicit CacheTags(std::uint64_t bytes) : lines_(bytes / kLine) {}
    /// Whether it has the sectors (a bit each) of the line; afterwards it has them.
    bool take(std::uint64_t line, unsigned sectors);
    void clear();

    static constexpr std::uint64_t kLine = 128, kSector = 32;

private:
    struct Entry {
        std::uint64_t line;
        unsigned sectors;
    };
    std::uint64_t lines_;
    std::list<Entry> order_;  ///< the line used last first
    std::unordered_map<std::uint64_t, std::list<Entry>::iterator> at_;
};

/// The second level, which keeps from launch to launch what kernels that time themselves have touched.
struct SecondLevel {
    std::mutex mutex;
    CacheTags tags;
    explicit SecondLevel(std::uint64_t bytes) : tags(bytes) {}
};

/// The times of one launch.
class SelfTiming {
public:
    /// What generated code reads, in ticks.
    struct Table {
        std::array<std::uint64_t, machine::kPipes> issue{};   ///< by pipe: until the warp's next instruction
        std::array<std::uint64_t, machine::kPipes> result{};  ///< by pipe: until the result can be read
        std::uint64_t guard = 0;                              ///< beyond that, until a branch can read a predicate
        std::uint64_t branch = 0;                             ///< of a branch
        std::uint64_t fence = 0;                              ///< of a fence of the device, beyond its issue
    };

    /// Of a launch with `warps` on each multiprocessor, whose first level has `l1_bytes`.
    SelfTiming(const Pace& pace, std::uint64_t warps, std::uint64_t l1_bytes, SecondLevel& second);

    const Table& table() const { return table_; }
    std::uint64_t barrier() const;
    /// Ticks until the result of a warp's access is there. `past_first`: the second level answers it.
    struct Access {
        TracedAccess what;
        bool past_first = false;
        unsigned passes = 1;  ///< of shared memory
        const std::uint64_t* addresses = nullptr;
        std::uint64_t mask = 0;
        std::uint32_t multiprocessor = 0;
    };
    std::uint64_t shared(const Access& access) const;
    std::uint64_t global(const Access& access);
    std::uint64_t constant() const;
    std::uint64_t local() const;
    /// Ticks for which an access keeps the load/store unit, which the multiprocessor's warps share, beyond the first
    /// pass.
    std::uint64_t more_passes(unsigned passes) const;

private:
    CacheTags& first_level(std::uint32_t multiprocessor);

    const Latencies latencies_;
    Table table_;
    double warps_;
    std::uint64_t l1_bytes_;
    SecondLevel& second_;
    std::map<std::uint32_t, CacheTags> first_;
};

}  // namespace warpwright::engine
