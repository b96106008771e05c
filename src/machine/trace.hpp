// What the emulated device hands to the model of time: for some blocks of a launch, which blocks of code each warp ran
// with which lanes, and what each access touched.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "machine/code.hpp"

namespace warpwright::machine {

/// Words of a line of constants.
inline constexpr unsigned kConstantLine = 16;

/// A block of code that a warp ran, or an access that it made there (these follow their block in the order of the
/// program).
struct Event {
    static constexpr std::uint32_t kAccess = 0x80000000u, kLocal = 0x40000000u, kConstant = 0x20000000u,
                                   kAtomic = 0x10000000u, kAsync = 0x08000000u, kStore = 0x04000000u;
    /// Block of code; accesses: kAccess, with kLocal, kConstant; kStore, kAtomic: in global memory; kAsync: at an
    /// mbarrier, or a bulk copy.
    std::uint32_t what = 0;
    std::uint32_t lanes = 0;  ///< how many were active
    /// Global and local memory: where the sectors are in BlockTrace::sectors; kAsync: where its steps are there
    /// (each_step). A compare-and-swap in shared memory: the word that most lanes want. Constants: the line
    /// of kConstantLine words, or, with `count`, where the lines' numbers are in BlockTrace::sectors.
    std::uint32_t first = 0;
    /// Global and local memory: sectors; of an atomic, a sector as often as lanes want its busiest word. 0: the access
    /// went to shared memory, or to constants of one line.
    std::uint16_t count = 0;
    std::uint16_t passes = 0;  ///< shared memory: wavefronts; constants: addresses; else passes over the first level

    bool operator==(const Event&) const = default;
};

struct WarpTrace {
    std::vector<Event> events;
    bool cut = false;  ///< it went on, but no more was kept
    /// While it is written: the block of code that the warp runs, and its accesses there so far.
    std::uint32_t block = 0, accesses = 0;

    void begin(std::uint32_t code, std::uint32_t lanes) {
        block = code, accesses = 0;
        events.push_back({code, lanes, 0, 0, 0});
    }
    void add(const Event& access) {
        ++accesses;
        events.push_back(access);
    }
};

/// One execution of an access with the place that each lane wanted there, for pictures.
struct LaneAccess {
    Event event;
    /// By lane: global and local memory: bytes from where sector 0 begins; shared memory: from its beginning; kNone:
    /// the lane was not active.
    std::vector<std::int64_t> at;
    static constexpr std::int64_t kNone = -1;
};

struct BlockTrace {
    std::uint64_t index = 0;  ///< of the block in its grid
    std::vector<WarpTrace> warps;
    std::vector<std::uint32_t> sectors;  ///< numbers of 32-byte sectors (LaunchTrace::start)
    std::uint64_t events = 0;
    /// By block of code and access in it: of those among the first kMostExampled events the first with the most lanes.
    std::vector<std::vector<LaneAccess>> examples;
    static constexpr std::uint64_t kMostExampled = 20'000;

    /// The bulk copy that is being made, until its event is written.
    struct Copying {
        std::vector<std::uint32_t> sectors, steps;
        std::uint32_t number = 0;            ///< of `steps`
        std::size_t last = ~std::size_t{0};  ///< where the last load's step begins
    } copying;
};

/// What an instruction does at an mbarrier of its block, or has done by a bulk copy. Of a cluster, blocks are taken to
/// do the same: what one does at another's mbarrier is noted as done at its own, at the same place.
struct AsyncStep {
    enum class Kind : std::uint32_t {
        init,           ///< `value` arrivals make a phase
        arrive,         ///< `value` times
        drop,           ///< later phases have `value` arrivals less
        expect,         ///< `value` bytes more
        complete,       ///< `value` bytes have come
        invalidate,     ///< it is no mbarrier any more
        copies_arrive,  ///< `value` arrivals once the warp's copies before it (cp.async) are there
        wait,           ///< until the phase of parity `value` is over
        load,           ///< a bulk copy from global memory; `value` bytes come to the mbarrier
        store,          ///< a bulk copy to global memory of `value` bytes
    };
    Kind kind{};
    std::uint32_t barrier = 0;  ///< its offset in shared memory
    std::uint32_t value = 0;
    const std::uint32_t* sectors = nullptr;  ///< of global memory
    std::uint32_t count = 0;
};

/// Calls `f` with each step of an event that has kAsync. BlockTrace::sectors holds, from Event::first on, how many
/// there are, and of each its kind, barrier, value and number of sectors, and these.
template <class F>
void each_step(const BlockTrace& block, const Event& e, F&& f) {
    const std::uint32_t* at = block.sectors.data() + e.first;
    for (std::uint32_t left = *at++; left > 0; --left) {
        const AsyncStep step{static_cast<AsyncStep::Kind>(at[0]), at[1], at[2], at + 4, at[3]};
        f(step);
        at += 4 + step.count;
    }
}

/// What an access does with a sector of global memory; an atomic does both.
enum class Touch : std::uint8_t { reads = 1, writes = 2, both = 3 };

/// Whether an event touches global memory, as far as the sectors that it has tell.
inline bool is_global(const Event& e) {
    return (e.what & Event::kAccess) && !(e.what & (Event::kLocal | Event::kConstant));
}

/// Calls `f` with each sector of global memory that an event touches, and with what it does there.
template <class F>
void each_global_touch(const BlockTrace& block, const Event& e, F&& f) {
    if (!is_global(e)) return;
    if (e.what & Event::kAsync)
        return each_step(block, e, [&](const AsyncStep& s) {
            const auto how = s.kind == AsyncStep::Kind::store ? Touch::writes : Touch::reads;
            for (std::uint32_t k = 0; k < s.count; ++k) f(s.sectors[k], how);
        });
    const auto how = e.what & Event::kAtomic ? Touch::both : e.what & Event::kStore ? Touch::writes : Touch::reads;
    for (unsigned k = 0; k < e.count; ++k) f(block.sectors[e.first + k], how);
}

/// Calls `f` with where each of these sectors stands in BlockTrace::sectors.
template <class F>
void each_global_sector_at(const BlockTrace& block, const Event& e, F&& f) {
    if (!is_global(e)) return;
    const auto from = [&](std::size_t first, std::size_t count) {
        for (std::size_t k = 0; k < count; ++k) f(first + k);
    };
    if (!(e.what & Event::kAsync)) return from(e.first, e.count);
    each_step(block, e,
              [&](const AsyncStep& s) { from(static_cast<std::size_t>(s.sectors - block.sectors.data()), s.count); });
}

/// The same without what is done.
template <class F>
void each_global_sector(const BlockTrace& block, const Event& e, F&& f) {
    each_global_touch(block, e, [&](std::uint32_t sector, Touch) { f(sector); });
}

/// Memory that the launch may have used: an allocation, or a part of one or of a mapping of the host, which begins
/// where a parameter of the launch points to.
struct Area {
    std::uint64_t first = 0, sectors = 0;  ///< numbers of sectors, as BlockTrace has them
    bool loose = false;                    ///< a part: what is used may end before it does
    std::uint64_t behind = 0;              ///< sectors of its allocation before it
    std::uint64_t whole = 0;               ///< and of all of that

    bool operator==(const Area&) const = default;
};

/// Of a trace that was not made, since an equal launch had one and its time is known: what is asked of it beside what
/// simulates it. Whoever knows the time keeps it in a structure of its own behind this one.
struct TraceOutline {
    std::uint64_t sampled = 0;      ///< blocks of the sample
    double read = 0, written = 0;   ///< sectors that the whole launch uses (footprints())
    double atomics = 0, turns = 0;  ///< of the sample, in shared memory: atomics, and what they pass over in all
    virtual ~TraceOutline() = default;
};

/// The sample of one launch.
struct LaunchTrace {
    std::shared_ptr<const Code> code;
    /// Address of sector 0. Memory that does not begin within kNumbered bytes of it (the host's, above all) has numbers
    /// from kNumbered on, one piece after the other as it is met.
    std::uint64_t start = 0;
    static constexpr std::uint64_t kNumbered = std::uint64_t{64} << 30;
    bool beyond = false;       ///< it used more memory than there are numbers for
    std::uint64_t blocks = 0;  ///< of the grid
    /// The sample is blocks first, first + stride, first + 2 * stride, ...: those of one multiprocessor.
    std::uint32_t first = 0, stride = 1;
    std::vector<BlockTrace> sample;
    /// By block of the grid: instructions of its warp that executed most, and of all its warps. Empty: not known.
    struct BlockWork {
        std::uint64_t most = 0, all = 0;
        bool operator==(const BlockWork&) const = default;
    };
    std::vector<BlockWork> work;
    std::vector<Area> areas;  ///< sorted
    /// The number of the area that has the sector, or comes before it.
    std::size_t area_of(std::uint64_t sector) const {
        const auto after = std::upper_bound(areas.begin(), areas.end(), sector,
                                            [](std::uint64_t s, const Area& a) { return s < a.first; });
        return after == areas.begin() ? 0 : static_cast<std::size_t>(after - areas.begin() - 1);
    }
    double seconds_left = 0;  ///< of the launch's time limit, for whoever simulates it; 0: it had none
    /// A hash of all that the course follows from, where that is known before the launch (machine/course); else empty.
    std::string course;
    std::shared_ptr<const TraceOutline> outline;  ///< then there is no code and no sample
};

/// Whether a simulation reads the same of both.
inline bool same_course(const LaunchTrace& a, const LaunchTrace& b) {
    const auto same_warp = [](const WarpTrace& x, const WarpTrace& y) {
        return x.cut == y.cut && x.events == y.events;
    };
    const auto same_block = [&](const BlockTrace& x, const BlockTrace& y) {
        return x.index == y.index && x.sectors == y.sectors &&
               std::equal(x.warps.begin(), x.warps.end(), y.warps.begin(), y.warps.end(), same_warp);
    };
    return a.start == b.start && a.beyond == b.beyond && a.blocks == b.blocks && a.first == b.first &&
           a.stride == b.stride && a.work == b.work && a.areas == b.areas &&
           std::equal(a.sample.begin(), a.sample.end(), b.sample.begin(), b.sample.end(), same_block);
}

/// Larger grids do not say how much their single blocks do.
inline constexpr std::uint64_t kMostWeighed = 1 << 16;

/// Most events that a launch keeps. What goes beyond is left out, and said so by WarpTrace::cut.
inline constexpr std::uint64_t kMostEvents = 6'000'000;

}  // namespace warpwright::machine
