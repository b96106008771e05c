// The simulated multiprocessor on traces made by hand, where the time is known: chains, full pipes, bandwidth,
// barriers.
#include <gtest/gtest.h>

#include <algorithm>

#include "plain_parameters.hpp"
#include "timing/prediction.hpp"
#include "timing/warp_log.hpp"

namespace warpwright::timing {
namespace multiprocessor_test {

using machine::Effect;
using machine::Op;
using machine::Pipe;

Op operation(Pipe pipe, std::vector<std::uint32_t> in, std::vector<std::uint32_t> out) {
    Op op;
    op.pipe = pipe;
    op.in = std::move(in), op.out = std::move(out);
    return op;
}

Op load(std::uint32_t out, std::int16_t access) {
    Op op = operation(Pipe::memory, {}, {out});
    op.effect = Effect::load;
    op.space = ptx::Space::global;
    op.bytes = 4;
    op.access = access;
    return op;
}

/// One block of code, run once by each warp of each block.
machine::LaunchTrace trace_of(std::vector<Op> ops, unsigned blocks, unsigned warps) {
    auto code = std::make_shared<machine::Code>();
    machine::Block b;
    for (const auto& op : ops) {
        b.slots += op.issues;
        for (auto v : op.out) code->values = std::max(code->values, v + 1);
    }
    b.ops = std::move(ops);
    code->instructions = b.slots;
    code->blocks.push_back(std::move(b));
    machine::LaunchTrace t;
    t.blocks = blocks;
    t.sample.resize(blocks);
    for (auto& s : t.sample) {
        s.warps.resize(warps);
        for (auto& w : s.warps) w.events.push_back({0, 32, 0, 0, 0});
    }
    t.code = std::move(code);
    return t;
}

/// Adds an access of four sectors to every warp, each at a place of its own or all at one.
void access(machine::LaunchTrace& t, bool one_place, std::uint32_t from) {
    std::uint32_t next = from;
    for (auto& block : t.sample)
        for (auto& w : block.warps) {
            w.events.push_back({machine::Event::kAccess, 32, static_cast<std::uint32_t>(block.sectors.size()), 4, 1});
            for (unsigned k = 0; k < 4; ++k) block.sectors.push_back(one_place ? from + k : next++);
        }
    t.areas = {{0, 1u << 30}};
}

TEST(Multiprocessor, AChainTakesItsLatency) {
    std::vector<Op> ops;
    for (std::uint32_t k = 0; k < 100; ++k) ops.push_back(operation(Pipe::fp32, {k}, {k + 1}));
    const auto t = trace_of(ops, 1, 1);
    EXPECT_NEAR(simulate(plain(), t, {}).cycles, 400, 10);
}

TEST(Multiprocessor, TheYoungestWarpThatCanGoOnGoesFirst) {
    std::vector<Op> ops;
    for (std::uint32_t k = 0; k < 100; ++k) ops.push_back(operation(Pipe::fp32, {k}, {k + 1}));
    WarpLog log;
    simulate(plain(), trace_of(ops, 1, 32), {}, &log);
    // Of the eight chains of a scheduler, four keep it busy: those of the youngest warps.
    ASSERT_EQ(log.warps.size(), 32u);
    EXPECT_LT(log.warps[31].end, 450);
    EXPECT_LT(log.warps[16].end, 450);
    EXPECT_GT(log.warps[15].end, 750);
    EXPECT_GT(log.warps[0].end, 750);
}

TEST(Multiprocessor, TheQueueOfAUnitServesWhoCameFirst) {
    std::vector<Op> ops;
    for (std::uint32_t k = 0; k < 50; ++k) ops.push_back(operation(Pipe::special, {k}, {k + 1}));
    auto p = plain();
    p.pipes[static_cast<std::size_t>(Pipe::special)] = {8, 24};
    WarpLog log;
    simulate(p, trace_of(ops, 1, 32), {}, &log);
    // Four of the eight chains of a scheduler would keep the unit busy; all eight have the same share of it.
    ASSERT_EQ(log.warps.size(), 32u);
    for (const auto& w : log.warps) EXPECT_NEAR(w.end, 8 * 8 * 50, 150);
}

TEST(Multiprocessor, SchedulersTakeTurnsAtTheLoadStoreUnit) {
    std::vector<Op> ops;
    for (std::int16_t k = 0; k < 50; ++k) {
        ops.push_back(load(static_cast<std::uint32_t>(k), k));
        ops.back().space = ptx::Space::shared;
    }
    auto t = trace_of(ops, 1, 4);
    for (auto& w : t.sample[0].warps)
        for (int k = 0; k < 50; ++k) w.events.push_back({machine::Event::kAccess, 32, 0, 0, 8});
    WarpLog log;
    simulate(plain(), t, {}, &log);
    ASSERT_EQ(log.warps.size(), 4u);
    for (const auto& w : log.warps) EXPECT_NEAR(w.end, 4 * 50 * 8, 60);
}

TEST(Multiprocessor, InstructionsAreWaitedForOnceWhereTheyFit) {
    std::vector<Op> ops;
    for (std::uint32_t k = 0; k < 800; ++k) ops.push_back(operation(Pipe::alu, {}, {k}));
    const auto trace = trace_of(ops, 1, 1);
    auto p = plain();
    const double none = simulate(p, trace, {}).cycles;
    p.fetch_latency = 250;
    EXPECT_NEAR(simulate(p, trace, {}).cycles - none, 250, 1);
    p.instruction_lines = 50;  // of the 100 that the code has: they come one after the other, while others are executed
    // The first four were fetched while nobody waited.
    const double late = simulate(p, trace, {}).cycles;
    EXPECT_NEAR(late, 250 + 96 * p.line_latency, 50);
}

TEST(Multiprocessor, AWarpStaysUntilItsStoreIsOnItsWay) {
    Op store = load(0, 0);
    store.effect = Effect::store, store.out.clear();
    auto trace = trace_of({store}, 1, 1);
    access(trace, false, 0);
    const auto p = plain();
    const auto result = simulate(p, trace, {});
    EXPECT_NEAR(result.warp_cycles[static_cast<std::size_t>(Stall::drain)], p.store_stays, 10);
    EXPECT_NEAR(result.resident_cycles, result.active, 1) << "occupancy is of the cycles in which a warp is there";
    EXPECT_GT(result.cycles, p.l2_latency) << "the launch ends when the store is there";
}

TEST(Multiprocessor, AFenceOfTheDeviceAsksTheSecondLevelAndDropsTheFirst) {
    Op fence = operation(Pipe::memory, {}, {});
    fence.effect = Effect::fence;
    const auto cycles = [&](bool device, bool again) {
        fence.waits_stores = fence.invalidates = device;
        std::vector<Op> ops{load(0, 0), operation(Pipe::alu, {0}, {1}), fence, operation(Pipe::alu, {}, {2})};
        if (again) ops.push_back(load(3, 0)), ops.push_back(operation(Pipe::alu, {3}, {4}));
        auto trace = trace_of(ops, 1, 1);
        access(trace, false, 0);
        SmConditions with_cache;
        with_cache.l1_bytes = 1e5;
        return simulate(plain(), trace, with_cache).cycles;
    };
    const auto p = plain();
    const double fences = p.kDeviceFence * p.l2_latency - p.fence;
    EXPECT_NEAR(cycles(true, false) - cycles(false, false), fences, 2);
    EXPECT_NEAR(cycles(true, true) - cycles(false, true) - fences, p.l2_latency - p.l1_latency, 10);
}

TEST(Multiprocessor, AccessesOfAWarpAreFourCyclesApart) {
    std::vector<Op> ops;
    for (std::uint32_t k = 0; k < 10; ++k) ops.push_back(load(k, -1));
    const auto one = simulate(plain(), trace_of(ops, 1, 1), {});
    EXPECT_NEAR(one.warp_cycles[static_cast<std::size_t>(Stall::wait)], 9 * 3, 1);
    EXPECT_NEAR(one.active, 9 * 4 + 1, 2);
    const auto four = simulate(plain(), trace_of(ops, 1, 16), {});
    EXPECT_NEAR(four.active, one.active, 8) << "other warps issue meanwhile";
}

Op constant(std::int32_t at, bool wide, std::uint32_t out) {
    Op op = operation(Pipe::none, {}, {out});
    op.space = ptx::Space::constant;
    op.constant_at = at, op.wide_constant = wide;
    return op;
}

TEST(Multiprocessor, EachLineOfConstantsIsWaitedForOnce) {
    auto p = plain();
    p.constant_miss = 120, p.constant_further_miss = 80;
    const auto cycles = [&](std::vector<Op> ops) { return simulate(p, trace_of(std::move(ops), 1, 1), {}).active; };
    const double one = cycles({constant(0, false, 0)});
    const double same = cycles({constant(0, false, 0), constant(60, false, 1), operation(Pipe::alu, {1}, {2})});
    const double two = cycles({constant(0, false, 0), constant(64, false, 1), operation(Pipe::alu, {1}, {2})});
    EXPECT_LT(one, 5) << "nobody reads it, and nothing follows";
    EXPECT_NEAR(same, 120 + p.constant_near, 6);
    EXPECT_NEAR(two, 120 + 80 + p.constant_near, 6) << "an operand's miss keeps its warp from going on";
}

TEST(Multiprocessor, LoadedConstantsHaveTheirOwnCacheAndDistance) {
    auto p = plain();
    p.constant_miss = 120, p.constant_further_miss = 80, p.loads_constants = true;
    const std::vector<Op> ops{constant(0, true, 0), constant(8, true, 1), operation(Pipe::alu, {}, {2}),
                              operation(Pipe::alu, {1}, {3})};
    const auto c = simulate(p, trace_of(ops, 1, 1), {});
    EXPECT_NEAR(c.warp_cycles[static_cast<std::size_t>(Stall::wait)], p.constant_spacing - 1, 2);
    EXPECT_NEAR(c.warp_cycles[static_cast<std::size_t>(Stall::short_scoreboard)], 120 - p.constant_spacing, 10);
    EXPECT_EQ(c.warp_cycles[static_cast<std::size_t>(Stall::imc_miss)], 0);
}

/// One warp reads the program's constants as operands, one after the other, from the words that `words` has.
SimulationResult constants_at(const Parameters& p, const std::vector<std::uint32_t>& words) {
    std::vector<Op> ops;
    for (std::uint32_t k = 0; k < words.size(); ++k) {
        ops.push_back(constant(0, false, k));
        ops.back().access = static_cast<std::int16_t>(k);
    }
    ops.push_back(operation(Pipe::alu, {static_cast<std::uint32_t>(words.size() - 1)}, {1000}));
    auto t = trace_of(std::move(ops), 1, 1);
    for (const auto word : words)
        t.sample[0].warps[0].events.push_back(
            {machine::Event::kAccess | machine::Event::kConstant, 32, word / machine::kConstantLine, 0, 1});
    return simulate(p, t, {});
}

TEST(Multiprocessor, TheCacheOfOperandsHoldsSoManyLines) {
    auto p = plain();
    p.constant_miss = 120, p.constant_lines = 4;
    std::vector<std::uint32_t> once, few, many;
    for (std::uint32_t k = 0; k < 3; ++k) once.push_back(16 * k);
    for (std::uint32_t k = 0; k < 12; ++k) few.push_back(16 * (k % 3)), many.push_back(16 * (k % 6));
    const double alone = constants_at(p, once).active;
    EXPECT_NEAR(alone, 3 * 120, 12);
    EXPECT_NEAR(constants_at(p, few).active, alone, 15) << "three lines stay";
    EXPECT_NEAR(constants_at(p, many).active, 12 * 120, 30) << "six go round and are never there";
    EXPECT_GT(constants_at(p, many).warp_cycles[static_cast<std::size_t>(Stall::imc_miss)], 11 * 110);
}

TEST(Multiprocessor, AWarpThatItsOwnOperationKeepsWaitingWaits) {
    std::vector<Op> ops;
    for (std::uint32_t k = 0; k < 10; ++k) ops.push_back(operation(Pipe::fp64, {}, {k}));
    auto p = plain();
    p.pipes[static_cast<std::size_t>(Pipe::fp64)].interval = 8;
    const auto one = simulate(p, trace_of(ops, 1, 1), {});
    EXPECT_NEAR(one.warp_cycles[static_cast<std::size_t>(Stall::wait)], 9 * 7, 1);
    EXPECT_EQ(one.warp_cycles[static_cast<std::size_t>(Stall::math_pipe_throttle)], 0);
    const auto many = simulate(p, trace_of(ops, 1, 16), {});
    EXPECT_GT(many.warp_cycles[static_cast<std::size_t>(Stall::math_pipe_throttle)],
              many.warp_cycles[static_cast<std::size_t>(Stall::wait)]);
}

TEST(Multiprocessor, TurnsOfALoopThatIsUnrolledRunAsOne) {
    // Ten turns of two operations, 0 and 1, of which four turns together are one operation, and its own block.
    auto t = trace_of({operation(Pipe::alu, {}, {0}), operation(Pipe::alu, {}, {1})}, 1, 1);
    auto code = std::make_shared<machine::Code>(*t.code);
    machine::Unrolled u;
    u.turns = 4, u.body.slots = 1;
    u.body.ops.push_back(operation(Pipe::alu, {}, {0}));
    code->unrolled.push_back(u);
    code->blocks[0].unrolled = 0;
    code->instructions += 1;
    t.code = code;
    auto& events = t.sample[0].warps[0].events;
    events.assign(10, {0, 32, 0, 0, 0});
    EXPECT_EQ(simulate(plain(), t, {}).issues, 2 + 2 * 2);
    // A turn with other lanes is not joined: two and one alone, then four, then three alone.
    events[2].lanes = 7;
    EXPECT_EQ(simulate(plain(), t, {}).issues, 3 * 2 + 1 + 3 * 2);
}

/// A region of three blocks: one load each, that of the second under a predicate; the third adds what they gave.
machine::LaunchTrace region_trace(bool runs_guarded) {
    const auto block = [](std::vector<Op> ops) {
        machine::Block b;
        b.ops = std::move(ops);
        for (const auto& op : b.ops) b.slots += op.issues;
        b.accesses = 1;
        return b;
    };
    auto code = std::make_shared<machine::Code>();
    code->values = 4;
    code->blocks = {block({load(0, 0)}), block({load(1, 0)}),
                    block({load(2, 0), operation(Pipe::fp32, {0, 1, 2}, {3})})};
    code->instructions = 4;
    machine::Region region;
    region.parts = {{0, false}, {1, true}, {2, false}};
    for (unsigned k = 0; k < 3; ++k)
        for (Op op : code->blocks[k].ops) op.part = static_cast<std::uint8_t>(k), region.body.ops.push_back(op);
    region.body.slots = 4;
    code->blocks[0].region = 0;
    code->regions.push_back(std::move(region));
    machine::LaunchTrace t;
    t.blocks = 1;
    t.areas = {{0, 1u << 30}};
    t.sample.resize(1);
    t.sample[0].warps.resize(1);
    for (std::uint32_t k = 0; k < 3; ++k) {
        if (k == 1 && !runs_guarded) continue;
        t.sample[0].warps[0].events.push_back({k, 32, 0, 0, 0});
        t.sample[0].warps[0].events.push_back({machine::Event::kAccess, 32, k, 1, 1});
    }
    t.sample[0].sectors = {0, 1000, 2000};
    t.code = std::move(code);
    return t;
}

/// An assembler predicates the second block, so that a warp issues it whether one of its lanes takes it or not.
TEST(Multiprocessor, PartsOfARegionRunAsOneAndSkippedOnesTakeTheirSlotsAlone) {
    const auto p = plain();
    const auto all = simulate(p, region_trace(true), {}), without = simulate(p, region_trace(false), {});
    EXPECT_EQ(all.issues, 4);
    EXPECT_EQ(without.issues, 4);
    EXPECT_EQ(all.traffic.dram_reads, 3 * p.fetch_sectors) << "each access is that of its own part";
    EXPECT_EQ(without.traffic.dram_reads, 2 * p.fetch_sectors);
}

TEST(Multiprocessor, LanesThatPartRunTheBlocksOfARegionOneByOne) {
    auto trace = region_trace(true);
    trace.sample[0].warps[0].events[4].lanes = 16;  // where all met, half of them go on
    EXPECT_EQ(simulate(plain(), trace, {}).issues, 4);
    auto code = std::make_shared<machine::Code>(*trace.code);
    code->regions[0].body.ops.clear();  // is not asked
    trace.code = code;
    EXPECT_EQ(simulate(plain(), trace, {}).issues, 4);
}

TEST(Multiprocessor, FourWordsThatAreLoadedTogetherTakeTwoWavefronts) {
    const auto of = [](unsigned words) {
        std::vector<Op> ops;
        for (std::uint32_t k = 0; k < 64; ++k) {
            ops.push_back(load(k, static_cast<std::int16_t>(k)));
            ops.back().space = ptx::Space::shared;
            ops.back().joined = static_cast<std::uint8_t>(words);
        }
        auto trace = trace_of(ops, 1, 16);
        for (auto& w : trace.sample[0].warps)
            for (int k = 0; k < 64; ++k) w.events.push_back({machine::Event::kAccess, 32, 0, 0, 1});
        return simulate(plain(), trace, {}).cycles;
    };
    EXPECT_EQ(of(2), of(1));
    EXPECT_GT(of(4), 1.5 * of(1));
}

TEST(Multiprocessor, ASpilledValueIsStoredAndLoadedThroughTheFirstLevel) {
    Op store = operation(Pipe::memory, {0}, {1}), back = operation(Pipe::memory, {1}, {2});
    store.effect = Effect::store, back.effect = Effect::load;
    for (Op* op : {&store, &back}) op->space = ptx::Space::local, op->bytes = 4, op->spill = 7;
    const auto t = trace_of({operation(Pipe::alu, {}, {0}), store, back, operation(Pipe::alu, {2}, {3})}, 1, 2);
    const SimulationResult c = simulate(plain(), t, {1, 1e5, 1, 1});
    EXPECT_EQ(c.issues, 8);
    EXPECT_DOUBLE_EQ(c.traffic.l2_writes, 8) << "each warp has a line of its own";
    EXPECT_DOUBLE_EQ(c.traffic.l1_lookups, 8);
    EXPECT_DOUBLE_EQ(c.traffic.l1_hits, 8);
    // 8 bytes of a lane are two lines.
    Op wide = store;
    wide.bytes = 8;
    EXPECT_DOUBLE_EQ(simulate(plain(), trace_of({wide}, 1, 1), {1, 1e5, 1, 1}).traffic.l2_writes, 8);
}

TEST(Multiprocessor, IndependentOperationsFillTheSchedulers) {
    std::vector<Op> ops;
    for (std::uint32_t k = 0; k < 100; ++k) ops.push_back(operation(Pipe::fp32, {}, {k}));
    const auto c = simulate(plain(), trace_of(ops, 1, 16), {});
    EXPECT_NEAR(c.cycles, 400, 10);  // 1,600 issues over four schedulers
    EXPECT_EQ(c.issues, 1600);
}

TEST(Multiprocessor, ASlowPipeSetsThePace) {
    auto p = plain();
    p.pipes[static_cast<std::size_t>(Pipe::fp64)].interval = 8;
    std::vector<Op> ops;
    for (std::uint32_t k = 0; k < 50; ++k) ops.push_back(operation(Pipe::fp64, {}, {k}));
    const auto c = simulate(p, trace_of(ops, 1, 16), {});
    EXPECT_NEAR(c.cycles, 50 * 4 * 8, 20);
    EXPECT_GT(c.warp_cycles[static_cast<std::size_t>(Stall::math_pipe_throttle)], c.issues);
}

TEST(Multiprocessor, LatencyIsHiddenByFurtherWarps) {
    auto run = [](unsigned warps) {
        auto t = trace_of({load(0, 0), operation(Pipe::fp32, {0}, {1})}, 1, warps);
        access(t, false, 0);
        return simulate(plain(), t, {});
    };
    const auto one = run(1), many = run(32);
    EXPECT_GT(one.cycles, plain().memory_latency);
    EXPECT_LT(many.cycles, 1.5 * one.cycles);
    EXPECT_GT(one.warp_cycles[static_cast<std::size_t>(Stall::long_scoreboard)], 600);
}

TEST(Multiprocessor, DramBandwidthBoundsAStream) {
    auto p = plain();
    p.memory_bytes = 8;  // per cycle, for the one multiprocessor at work
    std::vector<Op> ops;
    for (std::int16_t k = 0; k < 8; ++k) ops.push_back(load(static_cast<std::uint32_t>(k), k));
    ops.push_back(operation(Pipe::fp32, {0, 1, 2, 3, 4, 5, 6, 7}, {8}));
    auto t = trace_of(ops, 8, 8);
    for (unsigned k = 0; k < 8; ++k) access(t, false, k * 4096);
    const SmConditions conditions{8, 128 * 1024, 1, 1};
    const auto c = simulate(p, t, conditions);
    const double bytes = 8 * 8 * 8 * 4 * 32;
    EXPECT_NEAR(c.cycles, bytes / 8, 0.15 * bytes / 8);
    EXPECT_EQ(c.traffic.dram_reads, bytes / 32);
}

TEST(Multiprocessor, WhatTheFirstLevelHoldsIsNotFetchedAgain) {
    auto t = trace_of({load(0, 0), load(1, 1)}, 1, 4);
    access(t, true, 64), access(t, true, 64);
    const auto c = simulate(plain(), t, {1, 128 * 1024, 1, 1});
    EXPECT_EQ(c.traffic.l1_lookups, 32);
    EXPECT_EQ(c.traffic.l1_hits, 28);
    EXPECT_EQ(c.traffic.dram_reads, 4);
}

TEST(Multiprocessor, ABarrierWaitsForTheSlowestWarp) {
    Op barrier = operation(Pipe::branch, {}, {});
    barrier.effect = Effect::barrier;
    barrier.barrier = 0;
    auto t = trace_of({load(0, 0), operation(Pipe::fp32, {0}, {1}), barrier, operation(Pipe::fp32, {1}, {2})}, 1, 8);
    access(t, false, 0);
    // One warp has none of the loads: it comes to the barrier first, and waits.
    t.sample[0].warps[3].events[1].count = 0;
    const auto c = simulate(plain(), t, {});
    EXPECT_GT(c.warp_cycles[static_cast<std::size_t>(Stall::barrier)], 500);
    EXPECT_EQ(c.issues, 8 * 4);
}

TEST(Multiprocessor, BlocksThatDoNotFitComeLater) {
    std::vector<Op> ops;
    for (std::uint32_t k = 0; k < 50; ++k) ops.push_back(operation(Pipe::fp32, {k}, {k + 1}));
    const auto t = trace_of(ops, 6, 1);
    const auto two = simulate(plain(), t, {2, 0, 1, 1}), six = simulate(plain(), t, {6, 0, 1, 1});
    EXPECT_NEAR(two.cycles / six.cycles, 3, 0.3);
}

TEST(Multiprocessor, TheSameTraceTakesTheSameTime) {
    auto t = trace_of({load(0, 0), operation(Pipe::fp32, {0}, {1})}, 5, 7);
    access(t, false, 100);
    const SmConditions conditions{2, 65536, 1, 1};
    EXPECT_EQ(simulate(plain(), t, conditions).cycles, simulate(plain(), t, conditions).cycles);
}

TEST(Multiprocessor, LanesAtDifferentConstantsTakeTurns) {
    Op indexed = operation(Pipe::exchange, {}, {0});
    indexed.space = ptx::Space::constant;
    indexed.access = 0;
    const auto run = [&](std::uint16_t addresses, unsigned warps) {
        auto t = trace_of({indexed, operation(Pipe::fp32, {0}, {1})}, 1, warps);
        for (auto& w : t.sample[0].warps)
            w.events.push_back({machine::Event::kAccess | machine::Event::kConstant, 32, 0, 0, addresses});
        return simulate(plain(), t, {}).cycles;
    };
    const auto p = plain();
    EXPECT_NEAR(run(32, 1) - run(1, 1), 31 * p.constant_further, 20);
    EXPECT_GT(run(32, 32), 32 * 32 * p.constant_turn);
}

TEST(Multiprocessor, LanesAtConstantsOfSeveralLinesWaitForEachThatIsMissing) {
    Op indexed = operation(Pipe::exchange, {}, {0});
    indexed.space = ptx::Space::constant;
    indexed.access = 0;
    Op again = indexed;
    again.access = 1, again.in = {0}, again.out = {1};
    const auto run = [&](std::uint16_t lines, std::uint32_t further) {
        auto t = trace_of({indexed, again, operation(Pipe::fp32, {1}, {2})}, 1, 1);
        auto& block = t.sample[0];
        for (std::uint32_t k = 0; k < 64; ++k) block.sectors.push_back(k);
        for (const auto first : {0u, further})
            block.warps[0].events.push_back(
                {machine::Event::kAccess | machine::Event::kConstant, 32, first, lines, lines});
        return simulate(plain(), t, {}).cycles;
    };
    const auto p = plain();
    const double turns = 15 * p.constant_further, miss = p.constant_miss + 15 * p.constant_line + turns;
    EXPECT_NEAR(run(16, 0), miss + p.constant_latency + turns, 30) << "the second load finds all lines";
    EXPECT_NEAR(run(16, 16), 2 * miss, 30);
}

TEST(Multiprocessor, AGuardAndABranchTakeLongerThanAResult) {
    auto p = plain();
    Op branch = operation(Pipe::branch, {1}, {});
    branch.uses = {machine::Use::guard};
    const auto with = trace_of({operation(Pipe::alu, {0}, {1}), branch, operation(Pipe::alu, {}, {2})}, 1, 1);
    const double as_on_hardware = simulate(p, with, {}).cycles;
    p.late_other_pipe = p.late_guard = 0, p.branch = 1;
    EXPECT_NEAR(as_on_hardware - simulate(p, with, {}).cycles, 9 + 4, 0.5);
}

TEST(Multiprocessor, TheSimulationEndsWithTheTimeLimit) {
    std::vector<Op> ops;
    for (std::uint32_t k = 0; k < 200; ++k) ops.push_back(operation(Pipe::fp32, {k}, {k + 1}));
    auto t = trace_of(ops, 200, 8);
    t.seconds_left = 1e-9;
    EXPECT_TRUE(simulate(plain(), t, {}).stopped);
    t.seconds_left = 0;
    EXPECT_FALSE(simulate(plain(), t, {}).stopped);
}

TEST(Multiprocessor, ATraceThatEndsBeforeABarrierEnds) {
    Op barrier = operation(Pipe::branch, {}, {});
    barrier.effect = Effect::barrier;
    auto t = trace_of({barrier, operation(Pipe::fp32, {}, {0})}, 1, 4);
    t.sample[0].warps[2].events.clear();
    t.sample[0].warps[2].cut = true;
    const auto c = simulate(plain(), t, {});
    EXPECT_TRUE(c.cut);
    EXPECT_LT(c.cycles, 1000);
}

/// A kernel with a load, a barrier and a product after it.
machine::LaunchTrace with_a_barrier(const simt::Details* at, unsigned blocks, unsigned warps) {
    std::vector<Op> ops;
    ops.push_back(load(0, 0));
    Op barrier = operation(Pipe::none, {0}, {});
    barrier.effect = Effect::barrier, barrier.barrier = 0;
    barrier.ptx = at;
    ops.push_back(barrier);
    for (std::uint32_t k = 0; k < 20; ++k) ops.push_back(operation(Pipe::fp32, {k}, {k + 1}));
    auto t = trace_of(std::move(ops), blocks, warps);
    access(t, false, 0);
    return t;
}

TEST(WarpLog, its_intervals_are_the_sums_of_the_course) {
    simt::Details barrier;
    const auto t = with_a_barrier(&barrier, 6, 4);
    WarpLog log;
    log.until = 1e9;
    const SmConditions conditions{2, 0, 1, 1};
    const SimulationResult result = simulate(plain(), t, conditions, &log);
    std::array<double, kStalls> sums{}, by_instruction{};
    for (const auto& i : log.intervals) sums[static_cast<std::size_t>(i.state)] += i.end - i.begin;
    for (const auto& [at, cycles] : log.by_instruction)
        for (unsigned k = 0; k < kStalls; ++k) by_instruction[k] += cycles[k];
    for (unsigned k = 0; k < kStalls; ++k) {
        EXPECT_NEAR(sums[k], result.warp_cycles[k], 1e-6) << stall_name(static_cast<Stall>(k));
        EXPECT_NEAR(by_instruction[k], result.warp_cycles[k], 1e-6) << stall_name(static_cast<Stall>(k));
    }
    EXPECT_GT(sums[static_cast<std::size_t>(Stall::barrier)], 0);
    EXPECT_EQ(log.warps.size(), 24u);  // of six blocks
    EXPECT_EQ(log.slots, 8u);          // of two at once
    // What changes nothing may change nothing.
    EXPECT_EQ(simulate(plain(), t, conditions).cycles, result.cycles);
}

TEST(WarpLog, a_warp_at_a_barrier_stands_at_that_instruction) {
    simt::Details barrier;
    WarpLog log;
    simulate(plain(), with_a_barrier(&barrier, 1, 4), {}, &log);
    EXPECT_TRUE(log.intervals.empty());  // until is 0
    for (const auto& [at, cycles] : log.by_instruction)
        if (cycles[static_cast<std::size_t>(Stall::barrier)] > 0) {
            EXPECT_EQ(at, &barrier);
        }
}

TEST(WarpLog, no_interval_of_a_warp_overlaps_the_next) {
    WarpLog log;
    log.until = 300;
    simulate(plain(), with_a_barrier(nullptr, 6, 4), {2, 0, 1, 1}, &log);
    std::vector<std::vector<std::pair<double, double>>> of(log.warps.size());
    for (const auto& i : log.intervals) of[i.warp].emplace_back(i.begin, i.end);
    for (auto& list : of) {
        std::sort(list.begin(), list.end());
        for (std::size_t k = 1; k < list.size(); ++k) EXPECT_LE(list[k - 1].second, list[k].first + 1e-9);
    }
    for (const auto& i : log.intervals) {
        EXPECT_LT(i.begin, i.end);
        EXPECT_LE(i.end, 300);
        EXPECT_GE(i.begin, log.warps[i.warp].begin);
    }
}

}  // namespace multiprocessor_test
}  // namespace warpwright::timing
