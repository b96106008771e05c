// What stands around the instructions: features.ptx as a whole, the special registers' values, and functions that
// another translation unit of the program defines.
#include <span>

#include "../device/support.hpp"
#include "kernel_text.hpp"

namespace features_test {

using namespace device_tests;
using coverage_tests::read_text;
using testing::HasSubstr;

TEST(Features, WholeModuleAsNvccWritesIt) {
    Gpu gpu;
    const auto out = gpu.buffer(std::vector<std::uint32_t>(64)), pointed = gpu.buffer(std::vector<std::uint32_t>{1000});
    const auto text = read_text(WARPWRIGHT_SOURCE_DIR "/tests/coverage/features.ptx");
    const auto block = parameters(out, std::uint64_t{100}, pointed, std::uint64_t{10000});
    const auto r = gpu.try_launch(text, {1}, {64}, block, {}, 256, "sum");
    ASSERT_TRUE(r.ok()) << r.error().text();
    std::vector<std::uint32_t> want;
    for (unsigned t = 0; t < 64; ++t) want.push_back(2016 + 1000 + 100 + 10000 + 3 + 1 + 6 + 40 + 2 + 2 + 2 * (t + 1));
    EXPECT_EQ(gpu.read<std::uint32_t>(out, 64), want);
    EXPECT_EQ(r->output, "sum " + std::to_string(want[63]) + "\n");
    EXPECT_TRUE(gpu.try_launch(text, {1}, {32}, {}, {}, 0, "empty").ok());
    // What the directives promise is kept.
    EXPECT_FALSE(gpu.try_launch(text, {1}, {128}, block, {}, 512, "sum").ok());
    EXPECT_FALSE(gpu.try_launch(text, {1}, {64}, {}, {}, 0, "empty").ok());
}

TEST(Features, SpecialRegisters) {
    const std::vector<std::string> names{
        "%tid.x",       "%tid.y",       "%tid.z",           "%ntid.x",          "%ntid.y",      "%ntid.z",
        "%ctaid.x",     "%ctaid.y",     "%ctaid.z",         "%nctaid.x",        "%nctaid.y",    "%nctaid.z",
        "%laneid",      "%warpid",      "%lanemask_lt",     "%lanemask_le",     "%lanemask_ge", "%lanemask_gt",
        "%lanemask_eq", "%clusterid.x", "%cluster_ctarank", "%cluster_nctarank"};
    std::string body =
        "ld.param.u64 %rd1, [out];\n"
        "mov.u32 %r1, %ctaid.z; mov.u32 %r2, %nctaid.y; mov.u32 %r3, %ctaid.y; mad.lo.u32 %r1, %r1, %r2, %r3;\n"
        "mov.u32 %r2, %nctaid.x; mov.u32 %r3, %ctaid.x; mad.lo.u32 %r1, %r1, %r2, %r3;\n"
        "mov.u32 %r2, %ntid.z; mov.u32 %r3, %tid.z; mad.lo.u32 %r1, %r1, %r2, %r3;\n"
        "mov.u32 %r2, %ntid.y; mov.u32 %r3, %tid.y; mad.lo.u32 %r1, %r1, %r2, %r3;\n"
        "mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mad.lo.u32 %r1, %r1, %r2, %r3;\n"
        "mul.wide.u32 %rd2, %r1, " +
        std::to_string(4 * names.size()) + "; add.s64 %rd1, %rd1, %rd2;\n";
    for (std::size_t n = 0; n < names.size(); ++n)
        body += "mov.u32 %r4, " + names[n] + "; st.global.u32 [%rd1+" + std::to_string(4 * n) + "], %r4;\n";
    // Clocks go forward, whatever they read.
    body +=
        "mov.u64 %rd5, %clock64; mov.u64 %rd6, %globaltimer; bar.sync 0; mov.u64 %rd7, %clock64; mov.u64 %rd8, "
        "%globaltimer;\n"
        "setp.lt.u64 %p1, %rd7, %rd5; setp.lt.u64 %p2, %rd8, %rd6; or.pred %p1, %p1, %p2; @%p1 trap;\n";
    Gpu gpu;
    const Extent grid{2, 3, 2}, block{5, 4, 3};
    const std::size_t threads = grid.count() * block.count();
    const auto out = gpu.buffer(std::vector<std::uint32_t>(threads * names.size()));
    gpu.launch(module("u64 out", body), grid, block, parameters(out));
    const auto got = gpu.read<std::uint32_t>(out, threads * names.size());
    for (unsigned i = 0; i < threads; ++i) {
        const unsigned t = i % 60, b = i / 60, lane = t % 32, bit = 1u << lane;
        const std::vector<std::uint32_t> want{
            t % 5, t / 5 % 4, t / 20, 5,    4,      3,       b % 2,           b / 2 % 3,  b / 6,
            2,     3,         2,      lane, t / 32, bit - 1, bit | (bit - 1), ~(bit - 1), ~(bit | (bit - 1)),
            bit,   b % 2,     0,      1};
        for (std::size_t n = 0; n < names.size(); ++n)
            ASSERT_EQ(got[i * names.size() + n], want[n]) << names[n] << " of thread " << t << " of block " << b;
    }
}

// PTX of one translation unit alone: what another one defines is named. Linked in, it is called.
TEST(Features, FunctionOfAnotherTranslationUnit) {
    Gpu gpu;
    const auto out = gpu.buffer(std::vector<double>(1));
    const std::string name = "_Z21Fresnel_Sine_Integrald";
    const auto caller = kernel("u64 out",
                               "ld.param.u64 %rd1, [out]; mov.f64 %d1, 0d3FF8000000000000;\n"
                               "{ .param .b64 a; .param .b64 b; st.param.f64 [a], %d1; call.uni (b), " +
                                   name +
                                   ", (a); // here\nld.param.f64 %d2, [b]; }\n"
                                   "st.global.f64 [%rd1], %d2;\n");
    const auto alone = kHeader + ".extern .func (.param .b64 r) " + name + "(.param .b64 x);\n" + caller;
    const auto r = gpu.try_launch(alone, {1}, {1}, parameters(out));
    ASSERT_FALSE(r.ok());
    EXPECT_EQ(r.error().kind, ErrorKind::input);
    EXPECT_EQ(r.error().where.line, line_of(alone, "// here"));
    EXPECT_THAT(r.error().text(), HasSubstr(name));
    gpu.launch(
        kHeader + ".func (.param .b64 r) " + name +
            "(.param .b64 x) { .reg .f64 %a; ld.param.f64 %a, [x]; mul.f64 %a, %a, %a; st.param.f64 [r], %a; ret; }\n" +
            caller,
        {1}, {1}, parameters(out));
    EXPECT_EQ(gpu.read<double>(out, 1)[0], 2.25);
}

// A struct indexed by the thread, read where it is.
TEST(Features, ParameterAtAnAddressOfEachLane) {
    Gpu gpu;
    const auto out = gpu.buffer(std::vector<std::int32_t>(40));
    auto block = parameters(out);
    for (int k = 0; k < 32; ++k) block.push_back(static_cast<std::byte>(k * 37 - 90));
    gpu.launch(kHeader + ".visible .entry k(.param .u64 out, .param .align 8 .b8 s[32])\n{\n" + kRegisters +
                   index_into("out") +
                   "mov.u64 %rd3, s; and.b32 %r5, %r2, 15; cvt.u64.u32 %rd4, %r5; add.s64 %rd3, %rd3, %rd4;\n"
                   "ld.param.s8 %r6, [%rd3+3]; ld.param.u8 %r7, [%rd3+16]; shl.b32 %r7, %r7, 8; add.s32 %r6, %r6, %r7; "
                   "st.global.u32 [%rd2], %r6;\nret;\n}\n",
               {1}, {40}, block);
    const auto got = gpu.read<std::int32_t>(out, 40);
    for (int t = 0; t < 40; ++t) {
        const auto byte = [](int k) { return static_cast<std::uint8_t>(k * 37 - 90); };
        EXPECT_EQ(got[t], static_cast<std::int8_t>(byte(t % 16 + 3)) + 256 * byte(t % 16 + 16)) << t;
    }
}

}  // namespace features_test
