// The same outcome on any number of host threads: what depends on which block comes first is done in the order of
// blocks, and blocks that may wait for each other take turns by their clocks. Other schedules are as repeatable.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "engine/run/engine.hpp"
#include "engine/shared/schedule.hpp"
#include "support/cause.hpp"

namespace schedule_test {

using namespace warpwright;
using record::Count;

constexpr unsigned kMany = 4;
constexpr std::uint32_t kBlocks = 96, kThreads = 64, kWords = 1024;

/// Parameters: memory of kWords words, and a number. %r2 is the block, %r4 the thread of the grid.
std::string text(const std::string& body) {
    return ".version 8.0\n.target sm_90\n.address_size 64\n"
           ".visible .entry k(.param .u64 out, .param .u64 n)\n{\n.reg .pred %p<8>;\n.reg .b32 %r<32>;\n.reg .b64 "
           "%rd<32>;\n.reg .f32 %f<8>;\nld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [n]; cvt.u32.u64 %r20, %rd2;\n"
           "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.s32 %r4, %r2, %r3, %r1;\n" +
           body + "\nret;\n}\n";
}

struct Asked {
    unsigned threads = 1;
    engine::Schedule schedule = {};
    bool traced = false;
    std::uint64_t n = 0;
};

struct Outcome {
    std::vector<std::uint32_t> words;
    record::Counts counts;
    bool operator==(const Outcome& o) const { return words == o.words && counts.values == o.counts.values; }
};

Outcome run(const std::string& ptx, const Asked& asked) {
    engine::EngineOptions o;
    o.threads = asked.threads;
    o.memory = std::uint64_t{1} << 26;
    o.zeroed = true;
    o.multiprocessors = 4;
    o.pace.threads = 256;  // of a multiprocessor: 16 blocks are in flight at a time
    o.schedule = asked.schedule;
    auto engine = engine::Engine::create(o).value();
    auto program = engine->load("schedule.ptx", ptx);
    EXPECT_TRUE(program.ok()) << (program.ok() ? "" : program.error().text());
    if (!program.ok()) return {};
    const auto out = engine->memory().allocate(4 * kWords).value();
    std::byte parameters[16];
    std::memcpy(parameters, &out, 8), std::memcpy(parameters + 8, &asked.n, 8);
    engine::LaunchRequest request;
    request.config.grid.x = kBlocks;
    request.config.block.x = kThreads;
    request.parameters = parameters;
    request.options.timeout = std::chrono::seconds(60);
    if (asked.traced) request.options.trace = {4, 8};
    auto reply = engine->launch(**program, 0, request);
    EXPECT_TRUE(reply.ok()) << (reply.ok() ? "" : reply.error().text());
    if (!reply.ok()) return {};
    const auto* words = reinterpret_cast<const std::uint32_t*>(out);
    return {{words, words + kWords}, reply->result.counts->total};
}

/// Sums of floats of very different size: any other order gives other bits.
const char* const kSum = R"(cvt.rn.f32.u32 %f1, %r4; mul.f32 %f2, %f1, %f1; fma.rn.f32 %f3, %f2, %f2, 0f3DCCCCCD;
red.global.add.f32 [%rd1], %f3;)";

/// Each block writes its number where its ticket says.
const char* const kTicket = R"(setp.ne.u32 %p1, %r1, 0; @%p1 bra END;
atom.global.add.u32 %r5, [%rd1], 1; mul.wide.u32 %rd3, %r5, 4; add.s64 %rd4, %rd1, %rd3; st.global.u32 [%rd4+4], %r2;
END:)";

/// Blocks take what there is to do, n pieces, from a ticket, and note how many they had.
const char* const kQueue = R"(.shared .align 4 .b8 s[4]; mov.u32 %r6, 0;
L: setp.ne.u32 %p1, %r1, 0; @%p1 bra WAIT; atom.global.add.u32 %r5, [%rd1], 1; st.shared.u32 [s], %r5;
WAIT: bar.sync 0; ld.shared.u32 %r5, [s]; bar.sync 0; setp.ge.u32 %p2, %r5, %r20; @%p2 bra OUT; add.u32 %r6, %r6, 1;
mov.u32 %r7, 0;
WORK: add.u32 %r7, %r7, 1; setp.lt.u32 %p3, %r7, 50; @%p3 bra WORK;
bra L;
OUT: setp.ne.u32 %p1, %r1, 0; @%p1 bra END; mul.wide.u32 %rd3, %r2, 4; add.s64 %rd4, %rd1, %rd3;
st.global.u32 [%rd4+4], %r6;
END:)";

/// Each block waits for the one before it.
const char* const kChain =
    R"(setp.ne.u32 %p1, %r1, 0; @%p1 bra END; mul.wide.u32 %rd3, %r2, 4; add.s64 %rd4, %rd1, %rd3;
setp.eq.u32 %p2, %r2, 0; @%p2 bra GO;
POLL: ld.volatile.global.u32 %r5, [%rd4]; setp.eq.u32 %p3, %r5, 0; @%p3 bra POLL;
GO: membar.gl; st.volatile.global.u32 [%rd4+4], 1;
END:)";

/// All warps of all blocks add under one lock.
const char* const kLock = R"(and.b32 %r8, %r1, 31; setp.ne.u32 %p1, %r8, 0; @%p1 bra END;
TRY: atom.global.cas.b32 %r5, [%rd1], 0, 1; setp.ne.u32 %p2, %r5, 0; @%p2 bra TRY;
ld.volatile.global.u32 %r6, [%rd1+4]; add.u32 %r6, %r6, 1; st.volatile.global.u32 [%rd1+4], %r6; membar.gl;
atom.global.exch.b32 %r7, [%rd1], 0;
END:)";

/// What a clock says around a loop.
const char* const kClock = R"(mov.u64 %rd5, %clock64; mov.u32 %r7, 0;
WORK: add.u32 %r7, %r7, 1; setp.lt.u32 %p3, %r7, 50; @%p3 bra WORK;
mov.u64 %rd6, %clock64; sub.u64 %rd7, %rd6, %rd5; setp.ge.u32 %p1, %r4, 1000; @%p1 bra END;
mul.wide.u32 %rd3, %r4, 4; add.s64 %rd4, %rd1, %rd3; st.global.u32 [%rd4], %rd7;
END:)";

/// What a clock says around loads, some of which blocks before have brought into the second level.
const char* const kLoads = R"(and.b32 %r8, %r4, 255; mul.wide.u32 %rd3, %r8, 4; add.s64 %rd4, %rd1, %rd3;
mov.u64 %rd5, %clock64; ld.global.u32 %r7, [%rd4+2048]; add.u32 %r7, %r7, %r8; bar.sync 0; mov.u64 %rd6, %clock64;
sub.u64 %rd7, %rd6, %rd5; setp.ne.u32 %p1, %r1, 0; @%p1 bra END;
mul.wide.u32 %rd3, %r2, 4; add.s64 %rd4, %rd1, %rd3; cvt.u32.u64 %r9, %rd7; add.u32 %r9, %r9, %r7; st.global.u32 [%rd4], %r9;
END:)";

struct Case {
    const char* name;
    const char* body;
    std::uint64_t n;
};

class Schedules : public testing::TestWithParam<Case> {};

TEST_P(Schedules, AreTheSameOnAnyNumberOfThreads) {
    const auto ptx = text(GetParam().body);
    const auto n = GetParam().n;
    const auto one = run(ptx, {.threads = 1, .n = n});
    for (int again = 0; again < 2; ++again) EXPECT_EQ(run(ptx, {.threads = kMany, .n = n}), one);
    // Whether the course of some blocks is kept changes nothing either.
    for (const unsigned threads : {1u, kMany})
        EXPECT_EQ(run(ptx, {.threads = threads, .traced = true, .n = n}), one) << threads << " threads";
}

TEST_P(Schedules, InAnotherOrderAreRepeatable) {
    using Kind = engine::Schedule::Kind;
    const auto ptx = text(GetParam().body);
    const auto n = GetParam().n;
    for (const engine::Schedule schedule : {engine::Schedule{Kind::reverse, 0}, engine::Schedule{Kind::random, 7}})
        EXPECT_EQ(run(ptx, {.threads = kMany, .schedule = schedule, .n = n}), run(ptx, {.schedule = schedule, .n = n}));
}

INSTANTIATE_TEST_SUITE_P(Kernels, Schedules,
                         testing::Values(Case{"Sum", kSum, 0}, Case{"Ticket", kTicket, 0}, Case{"Queue", kQueue, 700},
                                         Case{"Chain", kChain, 0}, Case{"Lock", kLock, 0}, Case{"Clock", kClock, 0},
                                         Case{"Loads", kLoads, 0}),
                         [](const auto& of) { return std::string(of.param.name); });

TEST(Schedule, TicketsAreInTheOrderOfBlocks) {
    const auto out = run(text(kTicket), {.threads = kMany});
    for (std::uint32_t b = 0; b < kBlocks; ++b) EXPECT_EQ(out.words[1 + b], b);
}

TEST(Schedule, ReverseBeginsWithTheLastBlockInFlight) {
    const auto out = run(text(kTicket), {.schedule = {engine::Schedule::Kind::reverse, 0}});
    EXPECT_EQ(out.words[1], 15u);
    std::vector<std::uint32_t> blocks(out.words.begin() + 1, out.words.begin() + 1 + kBlocks);
    std::sort(blocks.begin(), blocks.end());
    for (std::uint32_t b = 0; b < kBlocks; ++b) EXPECT_EQ(blocks[b], b);
}

TEST(Schedule, WorkFromATicketIsSharedOut) {
    constexpr std::uint32_t kPieces = 640, kInFlight = 16;
    const auto out = run(text(kQueue), {.threads = kMany, .n = kPieces});
    const std::vector<std::uint32_t> had(out.words.begin() + 1, out.words.begin() + 1 + kBlocks);
    EXPECT_EQ(std::accumulate(had.begin(), had.end(), 0u), kPieces);
    EXPECT_LE(*std::max_element(had.begin(), had.end()), 2 * kPieces / kInFlight);
    EXPECT_GE(*std::min_element(had.begin(), had.begin() + kInFlight), kPieces / kInFlight / 2);
}

TEST(Schedule, LocksKeepOthersOut) {
    EXPECT_EQ(run(text(kLock), {.threads = kMany}).words[1], kBlocks * kThreads / 32);
    EXPECT_EQ(run(text(kLock), {.schedule = {engine::Schedule::Kind::random, 3}}).words[1], kBlocks * kThreads / 32);
}

TEST(Schedule, AClockAdvancesByWhatIsExecuted) {
    const auto out = run(text(kClock), {});
    // 50 rounds: an addition of 4 cycles, a comparison, and a branch that waits for its predicate (about 20 on a GPU).
    EXPECT_GE(out.words[0], 50 * 15u);
    EXPECT_LT(out.words[0], 50 * 25u);
}

TEST(Schedule, IsReadFromText) {
    using engine::parse_schedule;
    using Kind = engine::Schedule::Kind;
    EXPECT_EQ(parse_schedule("", "x").value(), engine::Schedule{});
    EXPECT_EQ(parse_schedule("reverse", "x").value(), (engine::Schedule{Kind::reverse, 0}));
    EXPECT_EQ(parse_schedule("random:18446744073709551615", "x").value(), (engine::Schedule{Kind::random, ~0ull}));
    for (const char* bad :
         {"random", "random:", "random:-1", "random:1.5", "random:18446744073709551616", "backwards"}) {
        const auto r = parse_schedule(bad, "WARPWRIGHT_SCHEDULE");
        ASSERT_FALSE(r.ok()) << bad;
        EXPECT_EQ(r.error().kind, ErrorKind::usage);
        EXPECT_THAT(r.error().what, testing::HasSubstr("WARPWRIGHT_SCHEDULE"));
    }
}

}  // namespace schedule_test
