// What kernels that time themselves read between two looks at the clock: latencies by dependence, and by the level in
// which the data lies.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "engine/run/engine.hpp"
#include "engine/shared/self_timing.hpp"

namespace self_timing_test {

using namespace warpwright;

constexpr std::uint64_t kFirst = 4096, kSecond = 32768;  // bytes of the caches
constexpr std::uint32_t kL1 = 30, kL2 = 200, kMemory = 600, kShared = 25;

/// What the kernel writes behind its array of `bytes`, whose words of 64 bits name the next place of a chase by lines.
/// Parameters: the array, its last byte, the number of steps. %rd1 has the array, %r1 the steps.
std::uint64_t measured(const std::string& body, std::uint64_t bytes, std::uint64_t steps, unsigned threads = 1) {
    const std::string ptx =
        ".version 8.0\n.target sm_90\n.address_size 64\n"
        ".visible .entry k(.param .u64 array, .param .u64 out, .param .u64 steps)\n{\n.reg .pred %p<8>;\n.reg .b32 "
        "%r<32>;\n.reg .b64 %rd<32>;\n.reg .f32 %f<8>;\n.shared .align 8 .b8 s[64];\n"
        "ld.param.u64 %rd1, [array]; ld.param.u64 %rd2, [out]; ld.param.u64 %rd3, [steps]; cvt.u32.u64 %r1, %rd3;\n" +
        body + "\nsub.u64 %rd30, %rd29, %rd28; st.global.u64 [%rd2], %rd30;\nret;\n}\n";
    engine::EngineOptions o;
    o.threads = threads;
    o.memory = std::uint64_t{1} << 26;
    o.zeroed = true;
    auto& l = o.pace.latencies;
    l.l1 = kL1, l.l2 = kL2, l.memory = kMemory, l.shared = kShared;
    l.l1_bytes = kFirst, l.l2_bytes = kSecond, l.l1_unified = false;
    auto engine = engine::Engine::create(o).value();
    auto program = engine->load("timing.ptx", ptx);
    EXPECT_TRUE(program.ok()) << (program.ok() ? "" : program.error().text());
    if (!program.ok()) return 0;
    const auto array = engine->memory().allocate(bytes + 8).value();
    auto* words = reinterpret_cast<std::uint64_t*>(array);
    for (std::uint64_t at = 0; at < bytes; at += 128) words[at / 8] = array + (at + 128) % bytes;
    const std::uint64_t parameters[] = {array, array + bytes, steps};
    std::byte raw[sizeof parameters];
    std::memcpy(raw, parameters, sizeof raw);
    engine::LaunchRequest request;
    request.parameters = raw;
    request.options.timeout = std::chrono::seconds(60);
    auto reply = engine->launch(**program, 0, request);
    EXPECT_TRUE(reply.ok()) << (reply.ok() ? "" : reply.error().text());
    return words[bytes / 8];
}

/// One round to fill the caches, then the steps between two looks at the clock; the last one's result is waited for.
const char* const kChase = R"(mov.u64 %rd10, %rd1; mov.u32 %r2, %r1;
WARM: ld.global.u64 %rd10, [%rd10]; sub.u32 %r2, %r2, 1; setp.ne.u32 %p1, %r2, 0; @%p1 bra WARM;
mov.u64 %rd28, %clock64;
STEP: ld.global.u64 %rd10, [%rd10]; sub.u32 %r1, %r1, 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra STEP;
st.shared.u64 [s], %rd10; mov.u64 %rd29, %clock64;)";

struct Level {
    std::uint64_t bytes;
    std::uint32_t latency;
};

class Chase : public testing::TestWithParam<Level> {};

TEST_P(Chase, TakesTheLatencyOfTheLevelOfItsData) {
    constexpr std::uint64_t kSteps = 1024;
    const auto cycles = measured(kChase, GetParam().bytes, kSteps);
    // The address costs an issue beside the latency of each step.
    EXPECT_GE(cycles, kSteps * GetParam().latency);
    EXPECT_LE(cycles, kSteps * (GetParam().latency + 2) + 64);
    EXPECT_EQ(measured(kChase, GetParam().bytes, kSteps, 4), cycles);
}

INSTANTIATE_TEST_SUITE_P(Levels, Chase,
                         testing::Values(Level{kFirst / 2, kL1}, Level{kFirst, kL1}, Level{2 * kFirst, kL2},
                                         Level{kSecond, kL2}, Level{2 * kSecond, kMemory}),
                         [](const auto& of) { return std::to_string(of.param.bytes); });

TEST(SelfTiming, LoadsThatDoNotNeedEachOtherAreUnderWayTogether) {
    const auto cycles = measured(R"(mov.u64 %rd28, %clock64;
ld.global.u64 %rd10, [%rd1]; ld.global.u64 %rd11, [%rd1+128]; ld.global.u64 %rd12, [%rd1+256];
st.shared.u64 [s], %rd10; st.shared.u64 [s+8], %rd11; st.shared.u64 [s+16], %rd12; mov.u64 %rd29, %clock64;)",
                                 1024, 0);
    EXPECT_GE(cycles, kMemory);
    EXPECT_LE(cycles, kMemory + 16);
}

TEST(SelfTiming, ALoadIsWaitedForWhereItsResultIsRead) {
    const auto cycles = measured(
        "mov.u64 %rd28, %clock64; ld.global.u64 %rd10, [%rd1]; mov.u64 %rd29, %clock64; st.shared.u64 [s], %rd10;",
        1024, 0);
    EXPECT_LT(cycles, 16u);
}

TEST(SelfTiming, AChainOfArithmeticTakesALatencyEach) {
    std::string body = "mov.f32 %f1, 0f3F800000; mov.u64 %rd28, %clock64;\n";
    for (int k = 0; k < 64; ++k) body += "fma.rn.f32 %f1, %f1, %f1, %f1;\n";
    const auto cycles = measured(body + "mov.u64 %rd29, %clock64; st.shared.f32 [s], %f1;", 1024, 0);
    EXPECT_NEAR(static_cast<double>(cycles), 64 * 4, 6);
}

TEST(SelfTiming, SleepsAndFencesKeepTheirWarp) {
    const auto slept = measured("mov.u64 %rd28, %clock64; nanosleep.u32 1000; mov.u64 %rd29, %clock64;", 1024, 0);
    EXPECT_NEAR(static_cast<double>(slept), 1000, 20);
    const auto fenced = measured("mov.u64 %rd28, %clock64; membar.gl; mov.u64 %rd29, %clock64;", 1024, 0);
    EXPECT_NEAR(static_cast<double>(fenced), 2 * kL2 + 80, 20);
    EXPECT_LT(measured("mov.u64 %rd28, %clock64; membar.cta; mov.u64 %rd29, %clock64;", 1024, 0), 20u);
}

TEST(SelfTiming, AChainInSharedMemoryTakesItsLatencyEach) {
    std::string body = "mov.u32 %r2, s; st.shared.u32 [s], %r2; mov.u64 %rd28, %clock64;\n";
    for (int k = 0; k < 32; ++k) body += "ld.shared.u32 %r2, [%r2];\n";
    const auto cycles = measured(body + "st.shared.u32 [s+4], %r2; mov.u64 %rd29, %clock64;", 1024, 0);
    EXPECT_NEAR(static_cast<double>(cycles), 32 * kShared, 40);
}

TEST(SelfTiming, WhatACacheLosesIsWhatWasUsedLongestAgo) {
    engine::CacheTags tags(2 * engine::CacheTags::kLine);
    EXPECT_FALSE(tags.take(1, 1));
    EXPECT_FALSE(tags.take(2, 1));
    EXPECT_TRUE(tags.take(1, 1));
    EXPECT_FALSE(tags.take(1, 2)) << "another sector of the line";
    EXPECT_FALSE(tags.take(3, 1));
    EXPECT_TRUE(tags.take(1, 3));
    EXPECT_FALSE(tags.take(2, 1));
}

}  // namespace self_timing_test
