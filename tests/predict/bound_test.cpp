#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "predict/bound.hpp"
#include "predict/kernel_time.hpp"

namespace warpwright::predict {
namespace bound_test {

using record::Count;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

arch::DeviceModel model(const std::string& name) {
    auto m = arch::load_model(name);
    EXPECT_TRUE(m.ok()) << (m ? "" : m.error().text());
    return m ? *m : arch::DeviceModel{};
}

const record::BoundTerm* term(const record::Bound& bound, const std::string& resource) {
    for (const record::BoundTerm& t : bound.terms)
        if (t.resource == resource) return &t;
    return nullptr;
}

double seconds(const record::Bound& bound, const std::string& resource) {
    const auto* t = term(bound, resource);
    return t ? t->seconds : 0;
}

Work wide(const arch::DeviceModel& m) {
    Work w;
    w.grid = {m.sm.multiprocessors * 8, 1, 1};
    w.block = {256, 1, 1};
    w.registers = 32;
    return w;
}

// A copy of 2^26 floats: 512 MiB moved, and DRAM binds at exactly bytes over bandwidth, but for what is still in the
// second level when the launch ends: of all that it holds, half was written.
TEST(Bound, CopyIsBoundByDram) {
    const auto m = model("h200");
    Work w = wide(m);
    const std::uint64_t requests = (1u << 26) / 32;
    w.counts[Count::instructions] = requests * 10;
    w.counts[Count::global_load_requests] = w.counts[Count::global_store_requests] = requests;
    w.counts[Count::global_load_sectors] = w.counts[Count::global_store_sectors] = requests * 4;
    w.counts[Count::global_bytes_requested] = 2ull << 28;
    w.compulsory_bytes = double(2ull << 28);
    const auto b = bound(w, m);
    EXPECT_EQ(b.binds, "DRAM");
    EXPECT_FALSE(b.estimated);
    const double stays = double(m.cache.l2) / 2;
    EXPECT_DOUBLE_EQ(b.seconds, (double(2ull << 28) - stays) / 4.8e12);
    EXPECT_THAT(b.terms.front().basis, HasSubstr("of them after the launch"));
    EXPECT_DOUBLE_EQ(b.terms.front().share, 1.0);
    ASSERT_TRUE(term(b, "DRAM")->upper_seconds) << "where all of it is written back before";
    EXPECT_DOUBLE_EQ(*term(b, "DRAM")->upper_seconds, double(2ull << 28) / 4.8e12);
    for (std::size_t i = 1; i < b.terms.size(); ++i) EXPECT_LE(b.terms[i].seconds, b.terms[i - 1].seconds);
}

TEST(Bound, WhatMachineCodeJoinsIsNoWorkOfItsOwn) {
    for (const char* name : {"gt640", "h200"}) {
        const auto m = model(name);
        Work w = wide(m);
        w.counts[Count::instructions] = 1'000'000, w.counts[Count::mix_integer] = 400'000;
        w.counts[Count::shared_load_requests] = w.counts[Count::shared_load_wavefronts] = 400'000;
        const auto all = bound(w, m);
        w.touched.emplace().joined = {
            .instructions = 400'000, .integer = 100'000, .shared_requests = 300'000, .shared_wavefronts = 300'000};
        const auto less = bound(w, m);
        EXPECT_NEAR(seconds(less, "load/store"), seconds(all, "load/store") / 4, 1e-12) << name;
        EXPECT_NEAR(seconds(less, "issue"), seconds(all, "issue") * 0.6, 1e-12) << name;
        EXPECT_NEAR(seconds(less, "integer"), seconds(all, "integer") * 0.75, 1e-12) << name;
        const char* shared = term(all, "shared") ? "shared" : "L1/shared";
        EXPECT_NEAR(seconds(less, shared), seconds(all, shared) / 4, 1e-12) << name;
    }
}

TEST(Bound, MeasuredCeilingsStandInPlaceOfTheDataSheet) {
    auto m = model("h200");
    Work w;
    w.grid = {132 * 8, 1, 1};
    w.block = {256, 1, 1};
    w.counts[Count::instructions] = 1000;
    w.counts[Count::mix_fp32] = 132 * 1000000;
    w.counts[Count::global_load_sectors] = 150'000'000;
    w.touched = record::Touched{4'800'000'000, 0};
    const auto sheet = bound(w, m);
    m.ceilings.dram_read = 2.4e12;
    m.ceilings.fma_f32 = m.flops_f32() / 2;
    const auto measured = bound(w, m);
    const auto seconds = [](const record::Bound& b, const std::string& resource) {
        for (const auto& t : b.terms)
            if (t.resource == resource) return t.seconds;
        return 0.0;
    };
    EXPECT_NEAR(seconds(sheet, "DRAM"), 1e-3, 1e-12);
    EXPECT_NEAR(seconds(measured, "DRAM"), 2e-3, 1e-12);
    EXPECT_GT(seconds(sheet, "fp32"), 0);
    EXPECT_NEAR(seconds(measured, "fp32"), 2 * seconds(sheet, "fp32"), 1e-12);
    EXPECT_EQ(seconds(measured, "issue"), seconds(sheet, "issue"));
}

TEST(Bound, SaysWhichDramTrafficItAssumes) {
    const auto m = model("h200");
    Work w = wide(m);
    w.counts[Count::global_load_requests] = 1000;
    w.counts[Count::global_load_sectors] = 4000;
    EXPECT_DOUBLE_EQ(dram_traffic(w, m).bytes, 128000);
    EXPECT_TRUE(dram_traffic(w, m).estimated);
    EXPECT_THAT(dram_traffic(w, m).basis, HasSubstr("sectors"));
    EXPECT_TRUE(bound(w, m).estimated);
    w.touched = record::Touched{64000, 1000};
    EXPECT_DOUBLE_EQ(dram_traffic(w, m).bytes, 64000) << "nothing was stored";
    EXPECT_TRUE(dram_traffic(w, m).estimated);
    EXPECT_THAT(dram_traffic(w, m).basis, HasSubstr("each once"));
    w.touched = record::Touched{1'000'000'000, 0};  // arrays that were hardly touched
    EXPECT_DOUBLE_EQ(dram_traffic(w, m).bytes, 128000);
    w.touched = record::Touched{32000, 0};
    const double alone = bound(w, m).seconds;
    w.compulsory_bytes = 20000;  // another formula: the kernel moves more than it has to
    EXPECT_TRUE(bound(w, m).estimated);
    w.compulsory_bytes = 32000;
    const auto b = bound(w, m);
    EXPECT_FALSE(b.estimated);
    EXPECT_EQ(b.seconds, alone) << "a formula confirms the traffic, and does not change it";
    EXPECT_DOUBLE_EQ(seconds(b, "DRAM"), 32000 / 4.8e12);
    ASSERT_TRUE(term(b, "DRAM")->upper_seconds);
    EXPECT_DOUBLE_EQ(*term(b, "DRAM")->upper_seconds, 128000 / 4.8e12);
}

TEST(Bound, WhatTheSecondLevelHoldsIsWrittenBackLater) {
    const auto m = model("h200");
    Work w = wide(m);
    w.counts[Count::global_load_sectors] = w.counts[Count::global_store_sectors] = 1'000'000'000;
    const auto room = m.cache.l2;
    w.touched = record::Touched{room / 4, room / 4};
    EXPECT_DOUBLE_EQ(written_back_later(dram_traffic(w, m), w, m), double(room / 4)) << "all of it";
    EXPECT_NEAR(seconds(bound(w, m), "DRAM"), double(room / 4) / 4.8e12, 1e-12) << "what is read";
    w.touched = record::Touched{3 * room, room};
    EXPECT_DOUBLE_EQ(written_back_later(dram_traffic(w, m), w, m), double(room) / 4) << "a quarter of what it holds";
    w.launches = 2;  // each leaves as much
    EXPECT_DOUBLE_EQ(written_back_later(dram_traffic(w, m), w, m), double(room) / 2);
}

// An array that is read and written crosses to DRAM both ways; atomics do both.
TEST(Bound, ReadsAndWritesAreBoundedApart) {
    const auto m = model("h200");
    Work w = wide(m);
    w.counts[Count::global_load_sectors] = 10000;  // a stencil: neighbours again and again
    w.counts[Count::global_store_sectors] = 2000;
    w.touched = record::Touched{64000, 64000};
    EXPECT_DOUBLE_EQ(dram_traffic(w, m).bytes, 128000);
    w.counts[Count::global_load_sectors] = 0, w.counts[Count::global_store_sectors] = 0;
    w.counts[Count::global_atomic_sectors] = 100;
    EXPECT_DOUBLE_EQ(dram_traffic(w, m).bytes, 6400);
}

TEST(KernelTime, IsTheBoundAndTheMultiprocessorsThatGetABlock) {
    const auto m = model("h200");
    Work w = wide(m);
    w.counts[Count::instructions] = 4'000'000;
    w.grid = {33, 1, 1};
    const Result<record::Predicted> none(Error{ErrorKind::limit, "", {}, ""});
    const auto time = kernel_time(w, m, none);
    EXPECT_EQ(time.kind, timeline::Kind::kernel);
    EXPECT_EQ(time.seconds, bound(w, m).seconds);
    EXPECT_DOUBLE_EQ(time.share, 0.25);
    w.grid = {1000, 1, 1};
    EXPECT_EQ(kernel_time(w, m, none).share, 1);
    EXPECT_EQ(kernel_time(w, m, record::Predicted{3e-6, "simulated"}).seconds, 3e-6);
}

// Cycles by hand: 132 multiprocessors at 1.98 GHz.
TEST(Bound, PipesByHand) {
    const auto m = model("h200");
    Work w = wide(m);
    const double cycle = 1 / (132 * 1.98e9);
    w.counts[Count::instructions] = 4'000'000;
    w.counts[Count::mix_fp32] = 1'000'000;  // 32 / 128: a quarter cycle each
    w.counts[Count::mix_fp64] = 1'000'000;  // 32 / 64
    w.counts[Count::mix_fp16] = 1'000'000;  // packed: 64 / 256
    w.counts[Count::mix_integer] = 1'000'000;
    w.counts[Count::mix_special] = 1'000'000;  // 32 / 16
    w.counts[Count::shared_load_requests] = 1'000'000;
    w.counts[Count::shared_load_wavefronts] = 5'000'000;
    w.counts[Count::flops_tensor] = 4096'000'000;
    w.counts[Count::mix_tensor] = 1'000'000;
    const auto b = bound(w, m);
    EXPECT_NEAR(seconds(b, "issue"), 1e6 * cycle, 1e-12);
    EXPECT_NEAR(seconds(b, "fp32"), 0.25e6 * cycle, 1e-12);
    EXPECT_NEAR(seconds(b, "fp64"), 0.5e6 * cycle, 1e-12);
    EXPECT_NEAR(seconds(b, "fp16"), 0.25e6 * cycle, 1e-12);
    EXPECT_NEAR(seconds(b, "integer"), 0.25e6 * cycle, 1e-12) << "64 by themselves, 64 in the multiply pipe";
    EXPECT_NEAR(seconds(b, "special"), 2e6 * cycle, 1e-12);
    EXPECT_NEAR(seconds(b, "L1/shared"), 5e6 * cycle, 1e-12);
    EXPECT_NEAR(seconds(b, "load/store"), 1e6 * cycle, 1e-12);
    EXPECT_NEAR(seconds(b, "tensor"), 1e6 / (132 * 1.83e9), 1e-12);
    EXPECT_EQ(b.binds, "L1/shared");
    EXPECT_EQ(term(b, "DRAM"), nullptr) << "a kernel without global accesses has no DRAM term";
}

TEST(Bound, BankConflictsCost) {
    const auto m = model("v100");
    Work w = wide(m);
    w.counts[Count::shared_load_requests] = 1000;
    w.counts[Count::shared_load_wavefronts] = 1000;
    const double clean = bound(w, m).seconds;
    w.counts[Count::shared_load_wavefronts] = 32000;
    EXPECT_DOUBLE_EQ(bound(w, m).seconds, 32 * clean);
}

// Compute capability 3.5 caches no global load in L1: every sector goes to L2.
/// Requests of which each adds to one word; `passes`: those of each in the sample.
Work sums_in_shared(const arch::DeviceModel& m, std::uint16_t passes) {
    Work w = wide(m);
    w.counts[Count::shared_atomic_requests] = 1 << 20, w.counts[Count::shared_atomic_wavefronts] = 32 << 20;
    auto code = std::make_shared<machine::Code>();
    auto& op = code->blocks.emplace_back().ops.emplace_back();
    op.pipe = machine::Pipe::memory, op.effect = machine::Effect::atomic, op.access = 0;
    machine::LaunchTrace trace;
    auto& events = trace.sample.emplace_back().warps.emplace_back().events;
    events.push_back({0, 32, 0, 0, 0});
    events.push_back({machine::Event::kAccess, 32, 0, 0, passes});
    trace.code = code;
    w.trace = std::make_shared<const machine::LaunchTrace>(std::move(trace));
    return w;
}

TEST(Bound, LanesThatAreAddedUpFirstTakeNoTurns) {
    const auto m = model("h100");
    const double turns = seconds(bound(sums_in_shared(m, 32), m), "L1/shared");
    ASSERT_GT(turns, 0);
    EXPECT_NEAR(turns / seconds(bound(sums_in_shared(m, 1), m), "L1/shared"), 32, 0.1);
}

TEST(Bound, KeplerLoadsReachL2) {
    Work w;
    w.grid = {1000, 1, 1};
    w.block = {256, 1, 1};
    w.counts[Count::global_load_requests] = 1'000'000;
    w.counts[Count::global_load_sectors] = 32'000'000;
    w.touched = record::Touched{1'000'000, 0};
    const auto kepler = bound(w, model("k40c"));
    EXPECT_EQ(kepler.binds, "L2");
    EXPECT_NEAR(kepler.seconds, 32e6 * 32 / 572e9, 1e-9);
    EXPECT_FALSE(term(kepler, "L2")->upper_seconds);
    // On Ampere they may all hit L1: the L2 term keeps to what is certain and says what it could come to.
    const auto ampere = bound(w, model("a100"));
    EXPECT_EQ(ampere.binds, "L1/shared");
    ASSERT_NE(term(ampere, "L2"), nullptr);
    EXPECT_NEAR(seconds(ampere, "L2"), 1e6 / 7219e9, 1e-12);
    EXPECT_NEAR(*term(ampere, "L2")->upper_seconds, 32e6 * 32 / 7219e9, 1e-9);
}

TEST(Bound, FewBlocksUseFewMultiprocessors) {
    const auto m = model("h200");
    Work w = wide(m);
    w.counts[Count::instructions] = 132'000;
    const double full = bound(w, m).seconds;
    w.grid = {1, 1, 1};
    const auto one = bound(w, m);
    EXPECT_NEAR(one.seconds, 132 * full, 1e-12);
    EXPECT_THAT(one.notes, Contains(HasSubstr("1 of 132 multiprocessors")));
}

TEST(Bound, NotesWhatTheModelCannotTell) {
    const auto m = model("k40c");
    Work w = wide(m);
    w.counts[Count::instructions] = 10;
    w.counts[Count::mix_fp16] = 5;
    w.counts[Count::flops_tensor] = 5;
    const auto b = bound(w, m);
    EXPECT_EQ(term(b, "fp16"), nullptr);
    EXPECT_THAT(b.notes, Contains(HasSubstr("no fp16 rate")));
    EXPECT_THAT(b.notes, Contains(HasSubstr("no tensor rate")));
}

TEST(Bound, NothingCountedNothingBound) {
    const auto b = bound(Work{}, model("h200"));
    EXPECT_EQ(b.binds, "");
    EXPECT_EQ(b.seconds, 0);
    EXPECT_THAT(b.terms, IsEmpty());
}

TEST(Intensity, NaiveMatmulHasACgmaOfOne) {
    const auto m = model("gtx780");
    Work w = wide(m);
    const std::uint64_t n = 1024, mads = n * n * n;
    w.counts[Count::flops] = 2 * mads;
    w.counts[Count::global_bytes_requested] = 2 * 4 * mads;  // the stores left out
    w.counts[Count::global_load_sectors] = mads, w.counts[Count::global_store_sectors] = n * n / 8;
    w.touched = record::Touched{8 * n * n, 4 * n * n};
    const auto i = intensity(w, m);
    EXPECT_DOUBLE_EQ(*i.cgma, 1.0);
    EXPECT_DOUBLE_EQ(*i.per_byte, 0.25);
    EXPECT_DOUBLE_EQ(*i.per_dram_byte, 2.0 * n / 12);
    const auto none = intensity(Work{}, m);
    EXPECT_FALSE(none.cgma);
    EXPECT_FALSE(none.per_byte);
    EXPECT_FALSE(none.per_dram_byte);
}

TEST(OccupancyRecord, WavesAndTail) {
    const auto m = model("h200");
    Work w = wide(m);
    w.grid = {132 * 8 + 1, 1, 1};  // one block more than fits
    const auto o = occupancy_record(w, m);
    EXPECT_EQ(o.blocks, 8u);
    EXPECT_NEAR(o.waves, 1.0 + 1.0 / 1056, 1e-12);
    EXPECT_NEAR(o.wave_utilisation, o.waves / 2, 1e-12);
    EXPECT_EQ(o.limiter, "warps and registers");
}

TEST(Annotate, FillsTheRecordAndNotesLatency) {
    const auto m = model("a100");
    Work w = wide(m);
    w.shared = 100 * 1024;  // one block of 8 warps per multiprocessor
    w.counts[Count::global_load_requests] = 1000;
    w.counts[Count::global_load_sectors] = 4000;
    w.touched = record::Touched{128000, 0};
    record::Record r;
    annotate(r, w, m);
    EXPECT_EQ(r.model, "a100");
    ASSERT_TRUE(r.bound && r.occupancy && r.intensity);
    EXPECT_EQ(r.bound->binds, "DRAM");
    EXPECT_EQ(r.occupancy->warps, 8u);
    // 2039e9 / 108 * 290 / 1.41e9 = 3883 bytes against 8 * 32 * 4 = 1024.
    EXPECT_THAT(r.bound->notes, Contains(HasSubstr("3,883 bytes must be in flight")));
}

}  // namespace bound_test
}  // namespace warpwright::predict
