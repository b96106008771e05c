// The second level as one multiprocessor sees it: packets of writes, lines that are read in part, atomics that queue at
// a slice or at a word.
#include <gtest/gtest.h>

#include "timing/memory.hpp"

namespace warpwright::timing {
namespace memory_test {

using machine::Event;
using machine::Op;

constexpr double kAll = 132;  ///< multiprocessors

Parameters hopper() {
    Parameters p;
    p.multiprocessors = static_cast<unsigned>(kAll);
    p.memory_bytes = 1e9;
    p.l2_size = 50e6;
    return p;
}

/// A sample whose blocks do one atomic each, at the sectors that are given.
machine::LaunchTrace atomics_at(const std::vector<std::vector<std::uint32_t>>& blocks) {
    machine::LaunchTrace t;
    t.sample.resize(blocks.size());
    for (std::size_t b = 0; b < blocks.size(); ++b) {
        t.sample[b].sectors = blocks[b];
        t.sample[b].warps.resize(1);
        t.sample[b].warps[0].events = {
            {Event::kAccess | Event::kAtomic, 32, 0, static_cast<std::uint16_t>(blocks[b].size()), 1}};
    }
    t.areas = {{0, 1u << 20}};
    return t;
}

double atomic_time(const machine::LaunchTrace& t, const std::vector<std::uint32_t>& sectors, double active,
                   const Op& op = {}) {
    const auto p = hopper();
    MemorySystem m(p, t, 0, active, 1 / kAll);
    const auto at = [&](double begin) {
        return m.atomic(sectors.data(), static_cast<unsigned>(sectors.size()), 32, op, begin);
    };
    at(0);  // from DRAM
    constexpr double kLater = 1e6;
    return at(kLater) - kLater - p.atomic_latency;
}

TEST(Memory, WholeLinesMoveWhereADeviceHasNoSmallerTransactions) {
    auto p = hopper();
    const machine::LaunchTrace trace;
    const std::uint32_t sectors[] = {1, 2, 9, 14};  // of lines 0, 2 and 3
    const auto moved = [&](unsigned line_sectors) {
        p.line_sectors = line_sectors;
        MemorySystem m(p, trace, 1 << 16, kAll, 1);
        m.load(sectors, 4, false, 0, 0);
        m.store(sectors, 4, false, 0, 1e4, 4 * 4);
        m.load(sectors, 4, true, 0, 2e4);  // local memory
        return std::pair(m.traffic().l2_reads, m.traffic().l2_writes);
    };
    EXPECT_EQ(moved(1), std::pair(4.0 + 4, 4.0));
    EXPECT_EQ(moved(4), std::pair(12.0 + 4, 12.0));
    EXPECT_EQ(moved(2), std::pair(8.0 + 4, 8.0));
}

TEST(Memory, AWriteOfALineInPartIsAPacketOfItsOwn) {
    const auto p = hopper();
    std::vector<std::uint32_t> apart, together;
    for (std::uint32_t k = 0; k < 32; ++k) apart.push_back(4 * k), together.push_back(k);
    const auto cycles = [&](const std::vector<std::uint32_t>& sectors, double active) {
        const machine::LaunchTrace trace;
        MemorySystem m(p, trace, 0, active, 1);
        m.store(sectors.data(), 32, false, 0, 0, 128);
        return m.backlog(0);
    };
    EXPECT_NEAR(cycles(apart, kAll), 32 * (p.write_line + p.write_sector), 1e-6);
    EXPECT_NEAR(cycles(together, kAll), 8 * p.write_line + 32 * p.write_sector, 1e-6);
    EXPECT_NEAR(cycles(apart, 1), 64, 1e-6);  // alone: a cycle for the head and one for the sector
}

/// A trace of a thousandth of a grid whose only warp stores `bytes` of each of 8 sectors of a large allocation.
machine::LaunchTrace writer(unsigned bytes) {
    machine::LaunchTrace t;
    auto code = std::make_shared<machine::Code>();
    code->blocks.resize(1);
    Op store;
    store.effect = machine::Effect::store, store.access = 0, store.bytes = 4;
    code->blocks[0].ops = {store};
    t.code = code;
    t.sample.resize(1);
    for (std::uint32_t k = 0; k < 8; ++k) t.sample[0].sectors.push_back(k);
    t.sample[0].warps.resize(1);
    t.sample[0].warps[0].events = {{0, 32, 0, 0, 0}, {Event::kAccess | Event::kStore, 2 * bytes, 0, 8, 1}};
    t.areas = {{0, 1u << 20}};
    return t;
}

TEST(Memory, SectorsThatNobodyCompletesAreRead) {
    auto p = hopper();
    p.l2_size = 64e3;
    const auto stored = [&](unsigned bytes) {
        const auto trace = writer(bytes);
        MemorySystem m(p, trace, 0, 1, 1.0 / 1000);
        m.store(trace.sample[0].sectors.data(), 8, false, 0, 0, 8.0 * bytes);
        m.store(trace.sample[0].sectors.data(), 8, false, 0, 1e4, 8.0 * bytes);
        return m.traffic();
    };
    EXPECT_EQ(stored(32).dram_reads, 0);
    const auto half = stored(16);
    const double filled = 1 - p.kPartial * p.l2_size / (8000 * 32);
    EXPECT_NEAR(half.dram_reads, 8 * filled, 1e-9) << "once";
    EXPECT_NEAR(half.dram_writes + half.later_writes, 8, 1e-9);
}

TEST(Memory, WhatStaysWrittenIsWrittenWhileOtherLaunchesRun) {
    const auto p = hopper();
    const auto trace = writer(32);
    MemorySystem m(p, trace, 0, kAll, 1.0 / 1000);
    m.store(trace.sample[0].sectors.data(), 8, false, 0, 0, 8 * 32);
    EXPECT_EQ(m.traffic().dram_writes, 0) << "it fits into the second level";
    EXPECT_EQ(m.traffic().later_writes, 8);
    EXPECT_EQ(m.memory_cycles(), 0);
    EXPECT_GT(m.memory_cycles_in_a_row(), 0);
}

/// A trace of one block of two warps that read 64 sectors of 1000, as a tenth of a grid; the second warp in the same
/// order or backwards.
machine::LaunchTrace readers(bool in_step) {
    machine::LaunchTrace t;
    t.stride = 100;
    t.sample.resize(1);
    t.sample[0].warps.resize(2);
    for (std::uint32_t w = 0; w < 2; ++w)
        for (std::uint32_t k = 0; k < 64; ++k) {
            auto& sectors = t.sample[0].sectors;
            t.sample[0].warps[w].events.push_back(
                {machine::Event::kAccess, 32, static_cast<std::uint32_t>(sectors.size()), 1, 1});
            sectors.push_back(2 * (w == 0 || in_step ? k : 63 - k));
        }
    t.areas = {{0, 128}};
    return t;
}

TEST(Memory, MultiprocessorsThatReadTheSameInStepAllWaitForMemory) {
    const auto p = hopper();
    const auto longest = [&](bool in_step, std::uint64_t block) {
        const auto t = readers(in_step);
        MemorySystem m(p, t, 0, kAll, 0.01);
        double most = 0;
        for (std::uint32_t k = 0; k < 20; ++k) {  // fewer than every hundredth, which this one is the first to ask for
            const std::uint32_t sector = 2 * k;
            most = std::max(most, m.load(&sector, 1, false, block, 1e4 * k) - 1e4 * k);
        }
        return most;
    };
    EXPECT_GT(longest(true, 0), p.memory_latency);
    EXPECT_LT(longest(true, 100), p.memory_latency) << "a block that comes later";
    EXPECT_LT(longest(false, 0), p.memory_latency) << "others are not where this one is";
}

TEST(Memory, ARequestWaitsForTheLastOfItsPlacesInMemory) {
    const auto p = hopper();
    const auto cycles = [&](std::uint32_t step) {
        machine::LaunchTrace t;
        t.areas = {{0, 1u << 20}};
        MemorySystem m(p, t, 0, 1, 1);
        std::vector<std::uint32_t> sectors;
        for (std::uint32_t k = 0; k < 32; ++k) sectors.push_back(step * k);
        return m.load(sectors.data(), 32, false, 0, 0);
    };
    EXPECT_NEAR(cycles(128) - cycles(4), p.memory_apart * 4, p.memory_apart) << "32 places in place of two";
}

TEST(Memory, AStoreToLocalMemoryGoesToTheSecondLevelToo) {
    const auto p = hopper();
    const machine::LaunchTrace trace;
    MemorySystem local(p, trace, 1e5, 1, 1), global(p, trace, 1e5, 1, 1);
    const std::uint32_t sectors[] = {0, 1, 2, 3};
    for (int k = 0; k < 100; ++k) local.store(sectors, 4, true, 0, 0, 128), global.store(sectors, 4, false, 0, 0, 128);
    EXPECT_DOUBLE_EQ(local.backlog(0), global.backlog(0)) << "a packet each time";
    EXPECT_DOUBLE_EQ(local.traffic().l2_writes, 400);
    // Loads find what was stored in the first level.
    local.load(sectors, 4, true, 0, 1e4);
    EXPECT_DOUBLE_EQ(local.traffic().l1_hits, 4);
    EXPECT_DOUBLE_EQ(local.traffic().l2_reads, 0);
}

TEST(Memory, AStrongLoadGoesPastTheFirstLevel) {
    const auto p = hopper();
    const machine::LaunchTrace trace;
    MemorySystem m(p, trace, 1e5, 1, 1);
    const std::uint32_t sector = 0;
    const auto takes = [&](double begin, MemorySystem::Way way) {
        return m.load(&sector, 1, false, 0, begin, way) - begin;
    };
    takes(0, MemorySystem::Way::first);
    EXPECT_DOUBLE_EQ(takes(1e4, MemorySystem::Way::first), p.l1_latency);
    EXPECT_GT(takes(2e4, MemorySystem::Way::second), p.l2_latency) << "whatever the first level has";
    EXPECT_DOUBLE_EQ(takes(3e4, MemorySystem::Way::first), p.l1_latency);
    m.invalidate();
    EXPECT_GT(takes(4e4, MemorySystem::Way::first), p.l2_latency);
    EXPECT_DOUBLE_EQ(takes(5e4, MemorySystem::Way::first), p.l1_latency);
}

TEST(Memory, WhoHasMoreToDoThanOthersWaitsForFewerOfThem) {
    const auto p = hopper();
    const std::vector<std::uint32_t> word(1, 8);
    const auto t = atomics_at({word, word});
    const auto cycles = [&](double alike) {
        MemorySystem m(p, t, 0, kAll, 0.1, 1, alike);
        for (int k = 0; k < 100; ++k) m.atomic(word.data(), 1, 1, {}, 1e6);
        return m.atomic(word.data(), 1, 1, {}, 1e6) - 1e6 - p.atomic_latency;
    };
    EXPECT_NEAR(cycles(kAll / 4) / cycles(0), 0.25, 0.01);
    EXPECT_DOUBLE_EQ(cycles(2 * kAll), cycles(0)) << "there are no more than there are";
}

TEST(Memory, CountsLookupsOfTheSecondLevelInEachPartition) {
    auto p = hopper();
    p.l2_partitions = 2, p.l2_lookups_of_write = 1.75;
    const machine::LaunchTrace trace;
    const auto traffic = [&](const auto& work) {
        MemorySystem m(p, trace, 0, 1, 1);
        work(m);
        return m.traffic();
    };
    const std::uint32_t sectors[] = {0, 1, 2, 3};
    const auto read = [&](MemorySystem& m) { m.load(sectors, 4, false, 0, 0); };
    // Sectors that one request asks for are looked up before any of them has come, though two come together.
    EXPECT_DOUBLE_EQ(traffic(read).l2_hits, 0);
    EXPECT_DOUBLE_EQ(traffic(read).l2_lookups, 4 * 1.5);
    const auto twice = traffic([&](MemorySystem& m) { read(m), read(m); });
    EXPECT_DOUBLE_EQ(twice.l2_hits, 4) << "the second request, also while the first one's data are on the way";
    EXPECT_DOUBLE_EQ(twice.l2_lookups, 4 * 1.5 + 4);
    const auto written = traffic([&](MemorySystem& m) { m.store(sectors, 4, false, 0, 0, 128); });
    EXPECT_DOUBLE_EQ(written.l2_lookups, 4 * p.l2_lookups_of_write);
    EXPECT_DOUBLE_EQ(written.l2_hits, written.l2_lookups);
    p.l2_partitions = 1;
    EXPECT_DOUBLE_EQ(traffic(read).l2_lookups, 4);
}

TEST(Memory, ALineThatIsReadInPartHasALeastTime) {
    const auto p = hopper();
    const auto cycles = [&](std::uint32_t step, unsigned count) {
        std::vector<std::uint32_t> sectors;
        for (std::uint32_t k = 0; k < count; ++k) sectors.push_back(step * k);
        const machine::LaunchTrace trace;
        MemorySystem m(p, trace, 0, kAll, 1);
        m.load(sectors.data(), count, false, 0, 0);
        return m.backlog(0);
    };
    EXPECT_NEAR(cycles(4, 16), 16 * p.l2_line, 1e-6);
    EXPECT_NEAR(cycles(1, 16), 16, 0.5);  // whole lines: as many cycles as sectors
}

TEST(Memory, WhatDoesNotFitIsWrittenBackOnceWhetherOrNotItWasReadBefore) {
    auto p = hopper();
    machine::LaunchTrace t = atomics_at({{0, 1, 2, 3}});  // a sample that touches these sectors
    const auto writes = [&](double size, bool read, double bytes) {
        p.l2_size = size;
        MemorySystem m(p, t, 0, kAll, 1);
        const std::uint32_t sectors[] = {0, 1, 2, 3};
        if (read) m.load(sectors, 4, false, 0, 0);
        for (int k = 0; k < 2; ++k) m.store(sectors, 4, false, 0, 1e4, bytes);
        return std::pair{m.traffic().dram_writes, m.traffic().dram_reads};
    };
    const auto expect = [&](double size, bool read, double bytes, double written, double reads, const char* why) {
        const auto [w, r] = writes(size, read, bytes);
        EXPECT_NEAR(w, written, 1e-9) << why;
        EXPECT_NEAR(r, reads, 1e-9) << why;
    };
    constexpr double kNone = 1e-12;
    expect(kNone, false, 128, 4, 0, "all of it");
    expect(kNone, true, 128, 4, 4, "it was read before");
    expect(kNone, true, 64, 4, 4, "what was read is not read again");
    expect(kNone, false, 64, 4, 4, "the rest of a sector is read");
    expect(50e6, true, 128, 0, 4, "it stays in the second level");
    // As much as the second level keeps of written lines is still there in the end.
    expect(64, true, 128, 4 * (1 - p.kWritten * 64 / 128), 4, "a part stays");
}

TEST(Memory, WhatStaysIsWrittenWhileLaterLaunchesRun) {
    const auto p = hopper();
    const auto t = atomics_at({{0, 1, 2, 3}});
    const std::uint32_t sectors[] = {0, 1, 2, 3};
    for (const double bytes : {128.0, 64.0}) {
        MemorySystem m(p, t, 0, kAll, 1);
        for (int k = 0; k < 2; ++k) m.store(sectors, 4, false, 0, 1e4, bytes);
        EXPECT_EQ(m.traffic().dram_writes, 0);
        EXPECT_NEAR(m.traffic().later_writes, 4, 1e-9);
        EXPECT_NEAR(m.traffic().later_reads, bytes < 128 ? 4 : 0, 1e-9) << "of sectors that are written in part";
        EXPECT_EQ(m.memory_cycles(), 0);
        EXPECT_GT(m.memory_cycles_in_a_row(), 0);
    }
}

TEST(Memory, LocalMemoryThatTheSecondLevelHasNoRoomForComesFromMemory) {
    auto p = hopper();
    machine::LaunchTrace t = atomics_at({{0, 1, 2, 3}});
    t.sample[0].warps[0].events[0].what = Event::kAccess | Event::kLocal;
    const std::uint32_t sectors[] = {0, 1, 2, 3};
    const auto traffic = [&](double size, unsigned resident) {
        p.l2_size = size;
        MemorySystem m(p, t, 0, kAll, 1, resident);
        for (int k = 0; k < 10; ++k) m.store(sectors, 4, true, 0, 0, 128), m.load(sectors, 4, true, 0, 0);
        return m.traffic();
    };
    const auto fits = traffic(4 * 32 * kAll * 8, 8);
    EXPECT_DOUBLE_EQ(fits.dram_reads + fits.dram_writes, 40 * 2 * (1 - p.kKept)) << "what other lines leave room for";
    const auto none = traffic(1e-9, 8);
    EXPECT_NEAR(none.dram_reads, 40, 1e-6);
    EXPECT_NEAR(none.dram_writes, 40, 1e-6);
    EXPECT_DOUBLE_EQ(traffic(50e6, 8).dram_reads, 0);
}

TEST(Memory, LanesAtOneWordTakeTurns) {
    const auto own = atomics_at({{0}});
    const double once = atomic_time(own, {0}, 1), often = atomic_time(own, std::vector<std::uint32_t>(32, 0), 1);
    EXPECT_GT(often, 32 * hopper().atomic_turn - 1);
    EXPECT_LT(once, 0.5 * often);
}

TEST(Memory, AWordThatAllMultiprocessorsWantIsSlowerThanOneOfItsOwn) {
    const auto shared = atomics_at({{7}, {7}, {7}, {7}}), apart = atomics_at({{7}, {9007}, {18007}, {27007}});
    const std::vector<std::uint32_t> sectors(32, 7);
    const double all = atomic_time(shared, sectors, kAll), alone = atomic_time(apart, sectors, kAll);
    EXPECT_NEAR(all, kAll * 32 * hopper().atomic_turn, 0.02 * all) << "a reduction ends with the turns of all";
    EXPECT_NEAR(alone, 32 * hopper().atomic_turn, 0.5 * alone);
}

TEST(Memory, WhoWaitsForItsAnswerDoesNotComeWithAllOthers) {
    // Of each multiprocessor one warp asks, and asks again when it has its answer: they do not meet, as long as the
    // turns of all take less time than an answer.
    const auto p = hopper();
    const auto t = atomics_at({{7}, {7}, {7}, {7}});
    const std::uint32_t word = 7;
    Op asks;
    asks.out = {1};
    MemorySystem m(p, t, 0, kAll, 1 / kAll);
    double now = 1e6;
    m.atomic(&word, 1, 1, asks, 0);
    for (int k = 0; k < 100; ++k) now = m.atomic(&word, 1, 1, asks, now);
    ASSERT_LT(kAll * p.atomic_turn, p.atomic_latency);
    EXPECT_NEAR((now - 1e6) / 100, p.atomic_latency + p.atomic_turn, 1);
    // Those that do not wait are held up by the turns of all.
    double last = 0;
    for (int k = 0; k < 100; ++k) last = m.atomic(&word, 1, 1, asks, now);
    EXPECT_NEAR((last - now - p.atomic_latency) / 100, kAll * p.atomic_turn, 0.02 * kAll * p.atomic_turn);
}

TEST(Memory, NumbersWithExponentsWaitForEachOtherAtAWord) {
    Op adds;
    adds.adds_float = true;
    const auto t = atomics_at({{0}});
    const std::vector<std::uint32_t> sectors(32, 0);
    EXPECT_NEAR(atomic_time(t, sectors, 1, adds), 32 * hopper().atomic_float_turn, 1);
}

TEST(Memory, ACompareAndSwapTakesLongerThanAnAddition) {
    Op compares;
    compares.compares = true;
    const auto t = atomics_at({{0}});
    const std::vector<std::uint32_t> sectors(16, 0);  // 16 turns of 32 lanes: different words
    EXPECT_GT(atomic_time(t, sectors, kAll, compares), 1.3 * atomic_time(t, sectors, kAll));
}

TEST(Memory, ASliceServesOneAtomicAtATime) {
    // 256 bytes lie in one slice, the next 256 in another.
    const auto t = atomics_at({{0}});
    std::vector<std::uint32_t> one, two;
    for (std::uint32_t k = 0; k < 32; ++k) one.push_back(k / 4), two.push_back(k / 4 + (k < 16 ? 0 : 4));
    EXPECT_GT(atomic_time(t, one, 1), 1.5 * atomic_time(t, two, 1)) << "nobody else is there";
    EXPECT_GT(atomic_time(t, two, kAll), 1.5 * atomic_time(t, two, 1)) << "others take turns at all slices";
}

TEST(Memory, PagesSideBySideHaveSlicesOfTheirOwn) {
    // 32 lanes in a page of 4 KiB, and in four of them; all multiprocessors want the same.
    std::vector<std::uint32_t> page, pages;
    for (std::uint32_t k = 0; k < 32; ++k) page.push_back(k / 2 * 8), pages.push_back(k * 16);
    const auto cycles = [](const std::vector<std::uint32_t>& at) {
        return atomic_time(atomics_at({at, at, at, at}), at, kAll);
    };
    EXPECT_GT(cycles(page), 1.8 * cycles(pages));
}

}  // namespace memory_test
}  // namespace warpwright::timing
