// Generated code goes from warp to warp at a barrier: warps that end at different ones, blocks whose last warp is not
// whole, and other orders of warps come to the same.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "engine/run/engine.hpp"

namespace warp_chain_test {

using namespace warpwright;

constexpr std::uint32_t kBlocks = 5, kWarps = 4, kMost = 128;

// Round i: each warp that is left writes 16 i + its number, all add up what stands there, as digits; warp w leaves
// after round 2 w + 1.
const char* const kText = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out)
{
.reg .pred %p<4>;
.reg .b32 %r<24>;
.reg .b64 %rd<8>;
.shared .align 16 .b8 there[16];
ld.param.u64 %rd1, [out];
mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; shr.u32 %r3, %r1, 5;
mov.u32 %r4, there; shl.b32 %r5, %r3, 2; add.s32 %r5, %r4, %r5;
mov.u32 %r6, 0; mov.u32 %r7, 0; shl.b32 %r8, %r3, 1; add.s32 %r8, %r8, 1;
setp.ge.u32 %p1, %r1, 4; @%p1 bra ready;
shl.b32 %r9, %r1, 2; add.s32 %r9, %r4, %r9; mov.u32 %r10, 0; st.shared.u32 [%r9], %r10;
ready:
bar.sync 0;
round:
shl.b32 %r10, %r6, 4; add.s32 %r10, %r10, %r3; st.shared.u32 [%r5], %r10;
bar.sync 0;
ld.shared.u32 %r11, [there]; ld.shared.u32 %r12, [there+4]; ld.shared.u32 %r13, [there+8]; ld.shared.u32 %r14, [there+12];
add.s32 %r11, %r11, %r12; add.s32 %r13, %r13, %r14; add.s32 %r11, %r11, %r13;
mad.lo.s32 %r7, %r7, 31, %r11;
bar.sync 0;
add.s32 %r6, %r6, 1;
setp.le.u32 %p2, %r6, %r8; @%p2 bra round;
mad.lo.s32 %r15, %r2, 128, %r1; mul.wide.u32 %rd2, %r15, 4; add.s64 %rd3, %rd1, %rd2; add.s32 %r7, %r7, %r1;
st.global.u32 [%rd3], %r7;
ret;
}
)";

struct Ran {
    std::vector<std::uint32_t> words;
    std::vector<std::uint64_t> counts;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> work;  ///< by block: of the longest warp, of all; if asked for
    std::uint64_t instructions = 0;
};

Ran run(std::uint32_t threads, engine::Schedule schedule, unsigned host_threads, bool weighed = false,
        unsigned converged_from = 200, std::string text = kText) {
    engine::EngineOptions o;
    o.threads = host_threads;
    o.memory = std::uint64_t{1} << 26;
    o.schedule = schedule;
    o.converged_from = converged_from;
    auto engine = engine::Engine::create(o).value();
    auto program = engine->load("chain.ptx", text);
    EXPECT_TRUE(program.ok()) << (program.ok() ? "" : program.error().text());
    if (!program.ok()) return {};
    const auto out = engine->memory().allocate(4 * kBlocks * kMost).value();
    std::memset(reinterpret_cast<void*>(out), 0, 4 * kBlocks * kMost);
    std::byte parameters[8];
    std::memcpy(parameters, &out, 8);
    engine::LaunchRequest request;
    request.config.grid.x = kBlocks;
    request.config.block.x = threads;
    request.parameters = parameters;
    if (weighed) request.options.trace = {2, 1};
    auto reply = engine->launch(**program, 0, request);
    EXPECT_TRUE(reply.ok()) << (reply.ok() ? "" : reply.error().text());
    if (!reply.ok()) return {};
    Ran ran;
    ran.words.resize(kBlocks * kMost);
    std::memcpy(ran.words.data(), reinterpret_cast<const void*>(out), 4 * kBlocks * kMost);
    const auto& values = reply->result.counts->total.values;
    ran.counts.assign(values.begin(), values.end());
    ran.instructions = reply->result.counts->total[record::Count::instructions];
    if (const auto& trace = reply->result.trace)
        for (const auto& work : trace->work) ran.work.emplace_back(work.most, work.all);
    return ran;
}

std::vector<std::uint32_t> expected(std::uint32_t threads) {
    const std::uint32_t warps = (threads + 31) / 32;
    std::uint32_t there[kWarps] = {}, sum[kWarps] = {};
    for (std::uint32_t i = 0; i <= 2 * kWarps; ++i) {
        for (std::uint32_t w = 0; w < warps; ++w)
            if (i <= 2 * w + 1) there[w] = 16 * i + w;
        for (std::uint32_t w = 0; w < warps; ++w)
            if (i <= 2 * w + 1) sum[w] = sum[w] * 31 + there[0] + there[1] + there[2] + there[3];
    }
    std::vector<std::uint32_t> out(kBlocks * kMost);
    for (std::uint32_t b = 0; b < kBlocks; ++b)
        for (std::uint32_t t = 0; t < threads; ++t) out[b * kMost + t] = sum[t / 32] + t;
    return out;
}

TEST(WarpChain, WarpsThatEndAtDifferentBarriers) {
    for (const std::uint32_t threads : {128u, 100u, 64u, 32u}) {
        SCOPED_TRACE(threads);
        const auto forward = run(threads, {}, 1);
        EXPECT_EQ(forward.words, expected(threads));
        const auto reverse = run(threads, {engine::Schedule::Kind::reverse, 0}, 1);
        EXPECT_EQ(reverse.words, forward.words);
        EXPECT_EQ(reverse.counts, forward.counts);
        const auto wide = run(threads, {}, 2);
        EXPECT_EQ(wide.words, forward.words);
        EXPECT_EQ(wide.counts, forward.counts);
    }
}

/// The same where the last warp leaves first: of those that end, none has only ended ones before it but the last.
TEST(WarpChain, WarpsThatEndInTheOtherOrder) {
    std::string text = kText;
    const std::string rounds = "shl.b32 %r8, %r3, 1; add.s32 %r8, %r8, 1;";
    text.replace(text.find(rounds), rounds.size(), "shl.b32 %r8, %r3, 1; sub.s32 %r8, 7, %r8;");
    for (const std::uint32_t threads : {128u, 100u, 64u}) {
        SCOPED_TRACE(threads);
        const auto forward = run(threads, {}, 1, false, 200, text);
        const auto reverse = run(threads, {engine::Schedule::Kind::reverse, 0}, 1, false, 200, text);
        EXPECT_EQ(forward.words, reverse.words);
        EXPECT_EQ(forward.counts, reverse.counts);
    }
}

// Without barriers: thread t writes its number, but for those of warp 1, of which all leave, and one of warp 2.
const char* const kEnds = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out)
{
.reg .pred %p<4>;
.reg .b32 %r<8>;
.reg .b64 %rd<4>;
ld.param.u64 %rd1, [out];
mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; shr.u32 %r3, %r1, 5;
setp.eq.u32 %p1, %r3, 1; @%p1 bra gone;
setp.eq.u32 %p2, %r1, 70; @%p2 bra gone;
mad.lo.s32 %r4, %r2, 128, %r1; mul.wide.u32 %rd2, %r4, 4; add.s64 %rd3, %rd1, %rd2;
add.s32 %r5, %r4, 1; st.global.u32 [%rd3], %r5;
gone:
ret;
}
)";

/// Warps that end one after the other, in several places and with a part of their lanes.
TEST(WarpChain, WarpsThatOnlyEnd) {
    for (const unsigned converged_from : {0u, 200u})
        for (const std::uint32_t threads : {128u, 100u, 64u, 32u, 20u}) {
            SCOPED_TRACE(threads);
            const auto forward = run(threads, {}, 1, false, converged_from, kEnds);
            std::vector<std::uint32_t> want(kBlocks * kMost);
            for (std::uint32_t b = 0; b < kBlocks; ++b)
                for (std::uint32_t t = 0; t < threads; ++t)
                    if (t / 32 != 1 && t != 70) want[b * kMost + t] = b * kMost + t + 1;
            EXPECT_EQ(forward.words, want);
            EXPECT_EQ(forward.counts,
                      run(threads, {engine::Schedule::Kind::reverse, 0}, 1, false, converged_from, kEnds).counts);
            EXPECT_EQ(forward.counts, run(threads, {}, 2, false, converged_from, kEnds).counts);
            const auto weighed = run(threads, {}, 1, true, converged_from, kEnds);
            EXPECT_EQ(weighed.words, want);
            EXPECT_EQ(weighed.work,
                      run(threads, {engine::Schedule::Kind::reverse, 0}, 1, true, converged_from, kEnds).work);
        }
}

/// How much each block does, and its longest warp, is known though the scheduler does not see warps one by one.
TEST(WarpChain, TellsWhatEachWarpDoes) {
    for (const std::uint32_t threads : {128u, 100u, 32u}) {
        SCOPED_TRACE(threads);
        const auto forward = run(threads, {}, 1, true);
        EXPECT_EQ(forward.words, expected(threads));
        ASSERT_EQ(forward.work.size(), kBlocks);
        EXPECT_EQ(forward.work, run(threads, {engine::Schedule::Kind::reverse, 0}, 1, true).work);
        std::uint64_t all = 0;
        for (const auto& work : forward.work) {
            all += work.second;
            EXPECT_EQ(work.first < work.second, threads > 32);
            // The last warp goes round most often.
            EXPECT_GT(work.first * ((threads + 31) / 32), work.second - (threads <= 32));
        }
        EXPECT_EQ(all, forward.instructions);
    }
}

/// A lane of the second warp leaves between two barriers, where the code has no copy for a part of the lanes: the warp
/// goes on with other code, and takes what it has done so far with it.
TEST(WarpChain, TellsWhatAWarpDidBeforeItsLanesCameApart) {
    std::string text = kText;
    const std::string round = "round:\n", end = "ret;\n}";
    text.replace(text.find(round), round.size(), round + "setp.eq.u32 %p3, %r1, 40; @%p3 bra gone;\n");
    text.replace(text.find(end), end.size(), "gone:\n" + end);
    const auto chained = run(128, {}, 1, true, 0, text);
    ASSERT_EQ(chained.work.size(), kBlocks);
    for (const unsigned converged_from : {0u, ~0u}) {
        const auto one_by_one = run(128, {engine::Schedule::Kind::reverse, 0}, 1, true, converged_from, text);
        EXPECT_EQ(chained.words, one_by_one.words);
        EXPECT_EQ(chained.counts, one_by_one.counts);
        EXPECT_EQ(chained.work, one_by_one.work);
    }
}

}  // namespace warp_chain_test
