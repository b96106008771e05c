// Block barriers whose number or count is in a register, and barriers that only some lanes of a warp reach.
#include "support.hpp"

namespace barriers_test {

using namespace device_tests;

/// Two pairs of warps, each at a barrier of its own whose number (and count) is read from memory, lane by lane.
/// %r8 = number, %r9 = count; %r7 holds the neighbour warp's word after `meet`.
std::string in_pairs(const std::string& meet) {
    return module("u64 out, u64 numbers", ".shared .align 4 .b8 s[512];\n" + index_into("out") + R"(
ld.param.u64 %rd3, [numbers]; mul.lo.u32 %r10, %r2, %r2; xor.b32 %r10, %r10, %r2; mul.wide.u32 %rd4, %r2, 8; add.s64 %rd4, %rd3, %rd4;
ld.global.v2.u32 {%r8, %r9}, [%rd4];
mov.u32 %r5, s; shl.b32 %r6, %r2, 2; add.u32 %r6, %r5, %r6; xor.b32 %r11, %r6, 128;
mov.u32 %r20, 0; mov.u32 %r21, 0;
AGAIN:
mad.lo.u32 %r12, %r20, 1000, %r2;
st.shared.u32 [%r6], %r12;
)" + meet + R"(
ld.shared.u32 %r7, [%r11]; add.u32 %r21, %r21, %r7;
)" + meet + R"(
add.u32 %r20, %r20, 1; setp.lt.u32 %p1, %r20, 3; @%p1 bra AGAIN;
st.global.u32 [%rd2], %r21;)");
}

std::vector<std::uint32_t> pair_numbers() {
    std::vector<std::uint32_t> n;
    for (unsigned i = 0; i < 128; ++i) {
        n.push_back(i < 64 ? 1 : 7);
        n.push_back(64);
    }
    return n;
}

TEST(RegisterBarriers, NumberAndCountFromMemory) {
    for (const auto* meet :
         {"bar.sync %r8, %r9;", "barrier.sync %r8, %r9;", "barrier.sync.aligned %r8, 64;", "barrier.cta.sync %r8, %r9;",
          "bar.red.popc.u32 %r30, %r8, %r9, %p1;", "setp.eq.u32 %p2, %r2, 999; @%p2 bra END; barrier.sync %r8, %r9;"}) {
        Gpu gpu;
        auto out = gpu.buffer(std::vector<std::uint32_t>(128)), numbers = gpu.buffer(pair_numbers());
        auto text = in_pairs(meet);
        if (std::string(meet).find("END") != std::string::npos) text.replace(text.rfind("ret;"), 4, "END: ret;");
        const auto c = gpu.counts(text, {1}, {128}, parameters(out, numbers));
        const auto values = gpu.read<std::uint32_t>(out, 128);
        for (unsigned i = 0; i < 128; ++i) EXPECT_EQ(values[i], 3 * (i ^ 32) + 3000) << meet << i;
        EXPECT_EQ(c[Count::barriers], 2u * 4 * 3) << meet;
    }
}

TEST(RegisterBarriers, ReductionAtANumberFromMemory) {
    Gpu gpu;
    auto out = gpu.buffer(std::vector<std::uint32_t>(128)), numbers = gpu.buffer(pair_numbers());
    gpu.launch(module("u64 out, u64 numbers", index_into("out") + R"(
ld.param.u64 %rd3, [numbers]; mul.wide.u32 %rd4, %r2, 8; add.s64 %rd4, %rd3, %rd4; ld.global.v2.u32 {%r8, %r9}, [%rd4];
and.b32 %r10, %r2, 3; setp.eq.u32 %p1, %r10, 0; setp.lt.u32 %p2, %r2, 40; and.pred %p1, %p1, %p2;
bar.red.popc.u32 %r11, %r8, %r9, %p1;
st.global.u32 [%rd2], %r11;)"),
               {1}, {128}, parameters(out, numbers));
    const auto values = gpu.read<std::uint32_t>(out, 128);
    for (unsigned i = 0; i < 128; ++i) EXPECT_EQ(values[i], i < 64 ? 10u : 0u) << i;
}

TEST(RegisterBarriers, ArriveAtANumberFromMemory) {
    // Warp 0 writes and goes on, warp 1 waits for it.
    Gpu gpu;
    std::vector<std::uint32_t> numbers;
    for (unsigned i = 0; i < 64; ++i) numbers.push_back(9), numbers.push_back(64);
    auto out = gpu.buffer(std::vector<std::uint32_t>(64)), table = gpu.buffer(numbers);
    gpu.launch(module("u64 out, u64 numbers", ".shared .align 4 .b8 s[128];\n" + index_into("out") + R"(
ld.param.u64 %rd3, [numbers]; mul.wide.u32 %rd4, %r2, 8; add.s64 %rd4, %rd3, %rd4; ld.global.v2.u32 {%r8, %r9}, [%rd4];
mov.u32 %r5, s; and.b32 %r6, %r2, 31; shl.b32 %r6, %r6, 2; add.u32 %r6, %r5, %r6; mov.u32 %r7, 0;
setp.ge.u32 %p1, %r2, 32; @%p1 bra READ;
add.u32 %r10, %r2, 70; st.shared.u32 [%r6], %r10;
bar.arrive %r8, %r9;
bra DONE;
READ:
bar.sync %r8, %r9;
ld.shared.u32 %r7, [%r6];
DONE:
st.global.u32 [%rd2], %r7;)"),
               {1}, {64}, parameters(out, table));
    const auto values = gpu.read<std::uint32_t>(out, 64);
    for (unsigned i = 0; i < 64; ++i) EXPECT_EQ(values[i], i < 32 ? 0 : i - 32 + 70) << i;
}

TEST(RegisterBarriers, LanesThatDisagreeAreAFault) {
    for (const auto* meet : {"bar.sync %r8, %r9; // here", "bar.sync 1, %r9; // here", "bar.arrive %r8, 64; // here",
                             "barrier.sync %r8, 64; // here"}) {
        Gpu gpu;
        auto numbers = pair_numbers();
        numbers[2 * 37] = 2;  // lane 5 of warp 1
        numbers[2 * 37 + 1] = 96;
        auto out = gpu.buffer(std::vector<std::uint32_t>(128)), table = gpu.buffer(numbers);
        const auto text =
            module("u64 out, u64 numbers", index_into("out") +
                                               "ld.param.u64 %rd3, [numbers]; mul.wide.u32 %rd4, %r2, 8; add.s64 %rd4, "
                                               "%rd3, %rd4; ld.global.v2.u32 {%r8, %r9}, [%rd4];\n" +
                                               meet + "\n");
        const auto r = gpu.try_launch(text, {1}, {128}, parameters(out, table));
        ASSERT_FALSE(r.ok()) << meet;
        EXPECT_EQ(r.error().kind, ErrorKind::fault) << r.error().text();
        EXPECT_EQ(r.error().where.line, line_of(text, "// here")) << r.error().text();
        EXPECT_THAT(r.error().what, testing::HasSubstr("thread (37,0,0) of block (0,0,0)")) << meet;
        EXPECT_THAT(r.error().what, testing::HasSubstr("differ")) << meet;
    }
}

TEST(RegisterBarriers, NumbersOutOfRange) {
    for (const auto* meet : {"bar.sync %r8, 64; // here", "bar.arrive %r8, 64; // here", "bar.sync 16; // here",
                             "@%p1 bra END;\nbarrier.sync %r8, 64; // here"})
        for (const unsigned threads : {32u, 64u}) {
            Gpu gpu;
            const auto text = module("u32 n", "ld.param.u32 %r8, [n]; mov.u32 %r1, %tid.x; setp.gt.u32 %p1, %r1, 5;\n" +
                                                  std::string(meet) + "\nEND:");
            const auto r = gpu.try_launch(text, {1}, {threads}, parameters(16u));
            ASSERT_FALSE(r.ok()) << meet << threads;
            EXPECT_EQ(r.error().kind, ErrorKind::fault) << r.error().text();
            EXPECT_EQ(r.error().where.line, line_of(text, "// here")) << r.error().text();
            EXPECT_THAT(r.error().what, testing::HasSubstr("0 to 15")) << r.error().text();
        }
}

TEST(PartialBarriers, HalvesOfTwoWarpsMeet) {
    // Lanes below 16 of both warps meet at barrier 1, the others at barrier 2, each for 32 threads; round by round.
    Gpu gpu;
    auto out = gpu.buffer(std::vector<std::uint32_t>(64));
    auto rounds = [](const std::string& barrier, const std::string& n) {
        return "mov.u32 %r10, " + n + ";\nL" + barrier + ":\nbarrier.sync " + barrier +
               ", 32;\nld.shared.u32 %r11, [%r7];\nbarrier.sync " + barrier +
               ", 32;\nadd.u32 %r11, %r11, 1;\nst.shared.u32 [%r6], %r11;\nsub.u32 %r10, %r10, 1;\nsetp.ne.u32 %p1, "
               "%r10, 0;\n@%p1 bra L" +
               barrier + ";\n";
    };
    const auto c = gpu.counts(module("u64 out", ".shared .align 4 .b8 s[256];\n" + index_into("out") + R"(
mov.u32 %r5, s; shl.b32 %r6, %r2, 2; add.u32 %r6, %r5, %r6; xor.b32 %r7, %r6, 128;
st.shared.u32 [%r6], %r2;
and.b32 %r8, %r2, 31; setp.ge.u32 %p2, %r8, 16;
@%p2 bra HIGH;
)" + rounds("1", "2") + "bra DONE;\nHIGH:\n" + rounds("2", "5") +
                                                    "DONE:\nbarrier.sync 0;\nxor.b32 %r6, %r6, 64; ld.shared.u32 %r12, "
                                                    "[%r6];\nst.global.u32 [%rd2], %r12;"),
                              {3}, {64}, parameters(gpu.buffer(std::vector<std::uint32_t>(192))));
    EXPECT_EQ(c[Count::barriers], 3u * (2 * 2 * 2 + 2 * 2 * 5 + 2 * 2));
    gpu.launch(module("u64 out", ".shared .align 4 .b8 s[256];\n" + index_into("out") + R"(
mov.u32 %r5, s; shl.b32 %r6, %r2, 2; add.u32 %r6, %r5, %r6; xor.b32 %r7, %r6, 128;
st.shared.u32 [%r6], %r2;
and.b32 %r8, %r2, 31; setp.ge.u32 %p2, %r8, 16;
@%p2 bra HIGH;
)" + rounds("1", "2") + "bra DONE;\nHIGH:\n" +
                                     rounds("2", "5") +
                                     "DONE:\nbarrier.sync 0;\nld.shared.u32 %r12, [%r6];\nst.global.u32 [%rd2], %r12;"),
               {1}, {64}, parameters(out));
    const auto values = gpu.read<std::uint32_t>(out, 64);
    for (unsigned i = 0; i < 64; ++i) EXPECT_EQ(values[i], i % 32 < 16 ? i + 2 : (i ^ 32) + 5) << i;
}

TEST(PartialBarriers, WaitsForLanesThatComeLater) {
    // Half of a warp is at the barrier before the other half's loops are done.
    Gpu gpu;
    auto out = gpu.buffer(std::vector<std::uint32_t>(96));
    gpu.launch(module("u64 out", ".shared .align 4 .b8 s[384];\n" + index_into("out") + R"(
mov.u32 %r5, s; shl.b32 %r6, %r2, 2; add.u32 %r6, %r5, %r6;
and.b32 %r8, %r2, 1; setp.eq.u32 %p1, %r8, 0; mov.u32 %r9, 0; @%p1 bra STORE;
LOOP: add.u32 %r9, %r9, 1; setp.lt.u32 %p2, %r9, %r2; @%p2 bra LOOP;
barrier.sync 0;
bra AFTER;
STORE: st.shared.u32 [%r6], 5; barrier.sync 0;
AFTER:
@%p1 bra END;
ld.shared.u32 %r10, [%r6+-4]; add.u32 %r9, %r9, %r10;
END:
st.global.u32 [%rd2], %r9;)"),
               {1}, {96}, parameters(out));
    const auto values = gpu.read<std::uint32_t>(out, 96);
    for (unsigned i = 0; i < 96; ++i) EXPECT_EQ(values[i], i % 2 ? std::max(1u, i) + 5 : 0u) << i;
}

TEST(PartialBarriers, ReductionsOfTwoGroupsAtOnce) {
    // Both halves of each warp are released from their own barrier at the same time, with different results; also in a
    // kernel whose lanes take turns because it has a loop that may spin.
    for (const bool turns : {false, true}) {
        Gpu gpu;
        auto out = gpu.buffer(std::vector<std::uint32_t>(64));
        gpu.launch(
            module("u64 out",
                   index_into("out") +
                       (turns ? "SPIN: ld.volatile.global.u32 %r20, [%rd1]; setp.eq.u32 %p7, %r20, 77; @%p7 bra SPIN;\n"
                              : "") +
                       R"(
and.b32 %r8, %r2, 31; setp.ge.u32 %p2, %r8, 16; setp.lt.u32 %p3, %r2, 35; mov.u32 %r12, 0;
@%p2 bra HIGH;
barrier.red.popc.u32 %r11, 1, 32, %p3;
add.u32 %r12, %r11, 100;
barrier.red.popc.u32 %r11, 1, 32, !%p3;
bra DONE;
HIGH:
barrier.red.popc.u32 %r11, 2, 32, %p3;
add.u32 %r12, %r11, 200;
barrier.red.popc.u32 %r11, 2, 32, %p2;
DONE:
mad.lo.u32 %r12, %r11, 1000, %r12;
st.global.u32 [%rd2], %r12;)"),
            {1}, {64}, parameters(out));
        const auto values = gpu.read<std::uint32_t>(out, 64);
        // Low halves: 16 + 3 below 35, the other 13 not; high halves: 16, then all 32.
        for (unsigned i = 0; i < 64; ++i)
            EXPECT_EQ(values[i], i % 32 < 16 ? 13000u + 119 : 32000u + 216) << turns << " " << i;
    }
}

TEST(PartialBarriers, ReductionsWhileOtherLanesSpin) {
    // Lanes below 8 and lanes 8 to 15 of four warps, each at a barrier of their own; the others spin until all are
    // done.
    Gpu gpu;
    auto out = gpu.buffer(std::vector<std::uint32_t>(128)), flag = gpu.buffer(std::vector<std::uint32_t>(1));
    gpu.launch(module("u64 out, u64 flag", index_into("out") + R"(
ld.param.u64 %rd5, [flag];
and.b32 %r8, %r2, 31; setp.ge.u32 %p1, %r8, 16; setp.ge.u32 %p2, %r8, 8; setp.lt.u32 %p3, %r2, 35; mov.u32 %r12, 0;
@!%p1 bra WORK;
SPIN:
ld.volatile.global.u32 %r11, [%rd5];
setp.lt.u32 %p4, %r11, 64;
@%p4 bra SPIN;
bra DONE;
WORK:
@%p2 bra HIGH;
barrier.red.popc.u32 %r11, 1, 32, %p3;
bra ADD;
HIGH:
barrier.red.popc.u32 %r11, 2, 32, !%p3;
ADD:
red.global.add.u32 [%rd5], 1;
DONE:
st.global.u32 [%rd2], %r11;)"),
               {1}, {128}, parameters(out, flag));
    const auto values = gpu.read<std::uint32_t>(out, 128);
    for (unsigned i = 0; i < 128; ++i) EXPECT_EQ(values[i], i % 32 >= 16 ? 64u : i % 32 < 8 ? 8u + 3 : 24u) << i;
}

TEST(PartialBarriers, LanesThatNeverComeAreADeadlock) {
    auto fault = [](const std::string& text, unsigned threads) {
        Gpu gpu;
        LaunchOptions options;
        options.timeout = std::chrono::seconds(60);
        const auto r = gpu.try_launch(text, {1}, {threads}, {}, options);
        if (r.ok()) {
            ADD_FAILURE() << "no fault in\n" << text;
            return std::string();
        }
        EXPECT_EQ(r.error().kind, ErrorKind::fault);
        EXPECT_EQ(r.error().where.line, line_of(text, "// here")) << r.error().text();
        return r.error().what;
    };
    const std::string half = "mov.u32 %r1, %tid.x; and.b32 %r1, %r1, 31; setp.ge.u32 %p1, %r1, 16;\n@%p1 bra END;\n";
    // 32 threads come, 64 are waited for: the others have ended.
    auto what = fault(module("", half + "barrier.sync 1, 64; // here\nEND:"), 64);
    EXPECT_THAT(what, testing::HasSubstr("deadlock"));
    EXPECT_THAT(what, testing::HasSubstr("32 threads"));
    // Two halves at two barriers, each of which wants everybody.
    what = fault(module("", half + "barrier.sync 1, 64;\nret;\nEND: barrier.sync 2, 64; // here\n"), 64);
    EXPECT_THAT(what, testing::HasSubstr("deadlock"));
    EXPECT_THAT(what, testing::HasSubstr("64 threads"));
    // The same at an aligned one: a count is of threads that come, since compute capability 7.0 one by one.
    what = fault(module("", half + "bar.sync 1, 64; // here\nEND:"), 64);
    EXPECT_THAT(what, testing::HasSubstr("deadlock"));
    EXPECT_THAT(what, testing::HasSubstr("32 threads"));
}

// "Starting with Volta, __syncthreads() and bar.sync are enforced per thread and will not succeed until reached by all
// non-exited threads in the block" (CUDA's programming guide on compute capability 7.x): who has ended is not waited
// for, whether it ended before the others came to the barrier or while they waited there.
TEST(PartialBarriers, ThreadsThatHaveEndedAreNotWaitedFor) {
    // Lanes 16 and up of each warp end at once (or only after counting to a number of their own); the others exchange
    // values over barriers in a loop.
    for (const bool late : {false, true})
        for (const auto* meet : {"bar.sync 0;", "barrier.sync 0;", "barrier.sync.aligned 0;"}) {
            Gpu gpu;
            auto out = gpu.buffer(std::vector<std::uint32_t>(96));
            const auto c =
                gpu.counts(module("u64 out", ".shared .align 4 .b8 s[384];\n" + index_into("out") + R"(
and.b32 %r8, %r2, 31; setp.ge.u32 %p1, %r8, 16;
@!%p1 bra WORK;
)" +
                                                 (late ? "mov.u32 %r9, 0; COUNT: add.u32 %r9, %r9, 1; setp.lt.u32 %p2, "
                                                         "%r9, %r2; @%p2 bra COUNT;\nst.global.u32 [%rd2], %r9;\n"
                                                       : "") +
                                                 R"(
ret;
WORK:
mov.u32 %r5, s; shl.b32 %r6, %r2, 2; add.u32 %r6, %r5, %r6; mov.u32 %r10, 0; mov.u32 %r11, %r2;
// The word of the same lane one warp further on, round the block.
add.u32 %r7, %r2, 32; rem.u32 %r7, %r7, 96; shl.b32 %r7, %r7, 2; add.u32 %r7, %r5, %r7;
AGAIN:
st.shared.u32 [%r6], %r11;
)" + meet + R"(
ld.shared.u32 %r11, [%r7];
)" + meet + R"(
add.u32 %r10, %r10, 1; setp.lt.u32 %p3, %r10, 2; @%p3 bra AGAIN;
st.global.u32 [%rd2], %r11;)"),
                           {1}, {96}, parameters(out));
            const auto values = gpu.read<std::uint32_t>(out, 96);
            for (unsigned i = 0; i < 96; ++i)
                EXPECT_EQ(values[i], i % 32 < 16 ? (i + 64) % 96 : late ? std::max(1u, i) : 0u) << meet << late << i;
            EXPECT_EQ(c[Count::barriers], 4u * 3) << meet << late;
        }
}

TEST(PartialBarriers, ReductionsAreOfThreadsThatLive) {
    Gpu gpu;
    auto out = gpu.buffer(std::vector<std::uint32_t>(64));
    gpu.launch(module("u64 out", index_into("out") + R"(
setp.ge.u32 %p1, %r2, 40; @%p1 bra END;
setp.lt.u32 %p2, %r2, 40; setp.eq.u32 %p3, %r2, 3;
bar.red.and.pred %p4, 0, %p2;
bar.red.popc.u32 %r5, 0, %p3;
selp.u32 %r6, 100, 0, %p4; add.u32 %r6, %r6, %r5;
st.global.u32 [%rd2], %r6;
END:)"),
               {1}, {64}, parameters(out));
    const auto values = gpu.read<std::uint32_t>(out, 64);
    for (unsigned i = 0; i < 64; ++i) EXPECT_EQ(values[i], i < 40 ? 101u : 0u) << i;
}

}  // namespace barriers_test
