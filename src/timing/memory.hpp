// Caches and memory as one multiprocessor sees them: a first-level cache of its own, its share of the second level and
// of DRAM.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "machine/footprint.hpp"
#include "machine/trace.hpp"
#include "timing/first_level.hpp"
#include "timing/parameters.hpp"
#include "timing/slices.hpp"

namespace warpwright::timing {

/// What the caches did, in sectors of 32 bytes.
struct Traffic {
    double l1_lookups = 0, l1_hits = 0;
    double l2_reads = 0, l2_writes = 0;
    double l2_lookups = 0, l2_hits = 0;  ///< as counters have them: in each partition that is asked
    double dram_reads = 0, dram_writes = 0;
    /// What of it leaves after the launch: what is written, and what completes sectors that are written in part.
    double later_reads = 0, later_writes = 0;
};

class MemorySystem {
public:
    /// `active`: multiprocessors that are at work; `share`: of the grid's blocks, what the trace has; `resident`: how
    /// many blocks of the sample begin together; `alike`: how many multiprocessors like this one would do the work that
    /// all do in this one's time, fewer than `active` where it has more to do than most (0: as many).
    MemorySystem(const Parameters& parameters, const machine::LaunchTrace& trace, double l1_bytes, double active,
                 double share, unsigned resident = 1, double alike = 0);
    /// The trace must outlive it.
    MemorySystem(const Parameters&, const machine::LaunchTrace&&, double, double, double, unsigned = 1,
                 double = 0) = delete;

    /// Who answers a load: the first level if it can, the texture units' (which some devices give a cache of their
    /// own), or the second level whatever the first one has.
    enum class Way : std::uint8_t { first, texture, second };
    /// A load of the sectors; when the last one is there. `begin`: when the first is looked for, `interval` cycles
    /// each.
    double load(const std::uint32_t* sectors, unsigned count, bool local, std::uint64_t block, double begin,
                Way way = Way::first);
    /// A bulk copy of the sectors, which no first level keeps; when all of it is there.
    double bulk_load(const std::uint32_t* sectors, unsigned count, std::uint64_t block, double begin);
    /// `bytes`: that are written in all.
    void store(const std::uint32_t* sectors, unsigned count, bool local, std::uint64_t block, double begin,
               double bytes);
    /// When the old values are there. A sector follows itself where lanes take turns at one of its words.
    double atomic(const std::uint32_t* sectors, unsigned count, unsigned lanes, const machine::Op& op, double begin);
    void invalidate() { l1_.invalidate(), textures_.invalidate(); }
    /// How far ahead of `now` the way to the second level is taken up: requests beyond a limit wait at the first.
    double backlog(double now) const { return port_ - now; }

    const Traffic& traffic() const { return traffic_; }
    /// Cycles that the busiest slice's atomics need in the whole device.
    double atomic_cycles() const;
    /// Cycles that DRAM needs for the whole launch.
    double memory_cycles() const;
    /// The same where launches follow each other: what one leaves written is written to DRAM while others run.
    double memory_cycles_in_a_row() const;

private:
    /// `in_step`: for a block that has begun together with those of other multiprocessors.
    /// `merged`: how many multiprocessors' requests are one.
    double fetch(std::uint64_t sector, double begin, bool in_step, double merged = 1);
    void count_l2_miss();
    /// Takes a sector's turn on the way from the second level: a line has a least time.
    void take_port(std::uint64_t sector, double begin, double merged);
    double merged(std::uint64_t sector) const;
    void find_sharing();
    void find_steps();
    double sharing_of(std::uint64_t sector) const;
    /// The sectors that an access moves: those that it touches, or all of their lines (until the next call).
    std::span<const std::uint32_t> moved(const std::uint32_t* sectors, unsigned count);
    std::vector<std::uint32_t> whole_lines_;
    unsigned slice_of(std::uint64_t sector) const;
    /// Sectors that come together, once this multiprocessor has met them.
    struct Met {
        double there = 0;           ///< when the second level has them
        std::uint32_t request = 0;  ///< the one that fetched it
        bool met = false;           ///< (what lies beside it may have been)
        bool ours = false;          ///< no other multiprocessor had met them
        bool written = false;
    };
    /// Whether no multiprocessor has met the sectors that come together with this one.
    bool first_in_device(std::uint64_t sector, Met*& met);

    const Parameters& p_;
    const machine::LaunchTrace& trace_;
    FirstLevel l1_, textures_;
    double l2_interval_, l2_line_, write_line_, write_sector_, memory_interval_, completion_;
    double port_ = 0, memory_ = 0, slack_ = 0;
    std::uint64_t last_line_ = ~std::uint64_t{0};
    double share_, active_, alike_;
    std::uint32_t request_ = 0;       ///< number of the load, store or atomic, of which a trace has fewer
    std::uint64_t first_blocks_ = 0;  ///< blocks of the grid below it begin together
    double leaves_ = 0;      ///< of what is written, the part that leaves the second level before the launch ends
    double local_lost_ = 0;  ///< of what is in local memory, the part that the second level has no room for
    double local_sum_ = 0;
    Traffic traffic_;
    /// What of local memory the second level has lost, or does not keep: the next sector's share of a turn.
    void leave_local(double begin, bool written);
    void take_memory(double sectors, double begin, bool scattered);
    /// A sector that is written in part, and that nobody completes.
    void fill_rest(std::uint64_t sector, double begin);
    /// Counts what leaves the second level when the launch is over.
    void leave_later(double sectors, double reads, bool scattered);
    void write_back(std::uint64_t sector, double begin);
    void keep_areas(const std::vector<machine::Footprint>& footprints);
    /// For a launch that writes, on a device with a second level.
    void find_partly_written();
    struct AreaState {
        double chance = 1, sum = 0;  ///< that a sector which this multiprocessor meets first was met by no other
        bool scattered = false;      ///< touched here and there
        double filled = 0;           ///< of sectors that are written there in part: those whose rest is read
        bool fills = false;          ///< who writes a sector in part has its rest read: nobody else completes it
        double fill_chance = 1, fill_sum = 0;  ///< as chance and sum, of single sectors that are written
        double sharing = 1;                    ///< multiprocessors whose atomics go to the same sector
        bool in_step = true;                   ///< what several warps read, they read at the same place of their course
    };
    std::vector<AreaState> areas_;
    /// LaunchTrace::area_of, which mostly is asked for the same area again.
    struct LastArea {
        std::size_t area = 0;
        std::uint64_t first = 1, end = 0;  ///< its sectors
    };
    mutable LastArea last_area_;
    std::size_t area_index(std::uint64_t sector) const {
        if (sector < last_area_.first || sector >= last_area_.end) find_area(sector);
        return last_area_.area;
    }
    void find_area(std::uint64_t sector) const;
    AreaState& area_of(std::uint64_t sector) { return areas_[area_index(sector)]; }
    /// What lies side by side in memory is met together.
    static constexpr unsigned kTogether = 8;
    using MetGroup = std::array<Met, kTogether>;
    /// A hash table with open addressing; its size is a power of two.
    struct MetPlace {
        std::uint64_t key = 0;  ///< 0: free
        std::size_t group = 0;  ///< in met_
    };
    std::vector<MetPlace> met_places_;
    std::vector<MetGroup> met_;
    MetPlace last_met_;
    Met& meet(std::uint64_t key, bool& first);
    std::size_t met_group(std::uint64_t key);
    Slices slices_;
    double others_free_ = 0, others_work_ = 0;  ///< what the atomics of other multiprocessors take of each slice
    double memory_work_ = 0, later_work_ = 0;
    std::unordered_map<std::uint64_t, double> word_free_;
};

}  // namespace warpwright::timing
