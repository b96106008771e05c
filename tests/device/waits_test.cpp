// Barriers of blocks and warps, and threads that wait for each other through memory.
#include "support.hpp"

namespace waits_test {

using namespace device_tests;

TEST(Barriers, SharedReductionOfPartialWarps) {
    // Tree sum over blocks whose size is no power of two nor a multiple of 32.
    const auto ptx = module("u64 out", R"(
.shared .align 4 .b8 s[4096];
mov.u32 %r1, %tid.x; mov.u32 %r2, %ntid.x;
mov.u32 %r3, s; shl.b32 %r4, %r1, 2; add.u32 %r4, %r3, %r4;
add.u32 %r5, %r1, 1; st.shared.u32 [%r4], %r5;
mov.u32 %r6, %r2;
L:
bar.sync 0;
setp.le.u32 %p1, %r6, 1;
@%p1 bra DONE;
add.u32 %r7, %r6, 1; shr.u32 %r7, %r7, 1;
add.u32 %r8, %r1, %r7;
setp.ge.u32 %p2, %r8, %r6;
@%p2 bra SKIP;
shl.b32 %r9, %r7, 2; add.u32 %r9, %r4, %r9;
ld.shared.u32 %r10, [%r9]; ld.shared.u32 %r11, [%r4]; add.u32 %r10, %r10, %r11; st.shared.u32 [%r4], %r10;
SKIP:
mov.u32 %r6, %r7;
bra L;
DONE:
setp.ne.u32 %p3, %r1, 0;
@%p3 bra END;
ld.shared.u32 %r12, [s];
ld.param.u64 %rd1, [out]; mov.u32 %r13, %ctaid.x; mul.wide.u32 %rd2, %r13, 4; add.s64 %rd1, %rd1, %rd2;
st.global.u32 [%rd1], %r12;
END:)");
    Gpu gpu;
    for (const unsigned n : {1u, 7u, 31u, 33u, 100u, 257u, 1000u}) {
        auto out = gpu.buffer(std::vector<std::uint32_t>(3));
        gpu.launch(ptx, {3}, {n}, parameters(out));
        EXPECT_EQ(gpu.read<std::uint32_t>(out, 3), std::vector<std::uint32_t>(3, n * (n + 1) / 2)) << n;
    }
}

TEST(Barriers, Reductions) {
    Gpu gpu;
    auto out = gpu.buffer(std::vector<std::uint32_t>(100));
    const auto ptx = module("u64 out, u32 cut", index_into("out") + R"(
ld.param.u32 %r5, [cut];
setp.lt.u32 %p1, %r2, %r5;
bar.red.popc.u32 %r6, 0, %p1;
bar.red.and.pred %p2, 0, %p1;
bar.red.or.pred %p3, 1, %p1;
selp.u32 %r7, 1000, 0, %p2; selp.u32 %r8, 10000, 0, %p3;
add.u32 %r6, %r6, %r7; add.u32 %r6, %r6, %r8;
st.global.u32 [%rd2], %r6;)");
    for (const unsigned cut : {0u, 1u, 50u, 99u, 100u}) {
        const auto counts = gpu.counts(ptx, {1}, {100}, parameters(out, cut));
        EXPECT_EQ(gpu.read<std::uint32_t>(out, 100),
                  std::vector<std::uint32_t>(100, cut + (cut == 100 ? 1000 : 0) + (cut ? 10000 : 0)));
        EXPECT_EQ(counts[Count::barriers], 12u);
    }
}

TEST(Barriers, ProducersArriveConsumersWait) {
    // Warps 0 and 1 produce and go on; warps 2 and 3 wait for them at barrier 3, 128 threads in all; round by round
    // the consumers hand the buffer back at barrier 4.
    Gpu gpu;
    auto out = gpu.buffer(std::vector<std::uint32_t>(64));
    gpu.launch(module("u64 out", R"(
.shared .align 4 .b8 s[256];
mov.u32 %r1, %tid.x; mov.u32 %r2, s; and.b32 %r3, %r1, 63; shl.b32 %r4, %r3, 2; add.u32 %r4, %r2, %r4;
mov.u32 %r5, 0; mov.u32 %r6, 0;
setp.ge.u32 %p1, %r1, 64;
@%p1 bra CONSUME;
PRODUCE:
mad.lo.u32 %r7, %r5, 100, %r3;
st.shared.u32 [%r4], %r7;
bar.arrive 3, 128;
bar.sync 4, 128;
add.u32 %r5, %r5, 1;
setp.lt.u32 %p2, %r5, 5;
@%p2 bra PRODUCE;
ret;
CONSUME:
bar.sync 3, 128;
xor.b32 %r8, %r4, 4;
ld.shared.u32 %r9, [%r8];
add.u32 %r6, %r6, %r9;
bar.arrive 4, 128;
add.u32 %r5, %r5, 1;
setp.lt.u32 %p2, %r5, 5;
@%p2 bra CONSUME;
ld.param.u64 %rd1, [out]; mul.wide.u32 %rd2, %r3, 4; add.s64 %rd1, %rd1, %rd2;
st.global.u32 [%rd1], %r6;)"),
               {1}, {128}, parameters(out));
    const auto values = gpu.read<std::uint32_t>(out, 64);
    for (unsigned i = 0; i < 64; ++i) EXPECT_EQ(values[i], (0 + 1 + 2 + 3 + 4) * 100 + 5 * (i ^ 1));
}

TEST(Barriers, NamedBarriersOfHalfABlock) {
    // The two halves of the block do different numbers of rounds, each at its own barrier.
    Gpu gpu;
    auto out = gpu.buffer(std::vector<std::uint32_t>(128));
    auto rounds = [](const std::string& barrier, const std::string& n) {
        return "mov.u32 %r10, " + n + ";\nL" + barrier + ":\nbar.sync " + barrier +
               ", 64;\nld.shared.u32 %r11, [%r7];\nbar.sync " + barrier +
               ", 64;\nadd.u32 %r11, %r11, 1;\nst.shared.u32 [%r6], %r11;\nsub.u32 %r10, %r10, 1;\nsetp.ne.u32 %p1, "
               "%r10, 0;\n@%p1 bra L" +
               barrier + ";\nst.global.u32 [%rd2], %r11;\n";
    };
    const auto counts = gpu.counts(module("u64 out", ".shared .align 4 .b8 s[512];\n" + index_into("out") + R"(
mov.u32 %r5, s; shl.b32 %r6, %r2, 2; add.u32 %r6, %r5, %r6; xor.b32 %r7, %r6, 128;
st.shared.u32 [%r6], %r2;
setp.ge.u32 %p2, %r2, 64;
@%p2 bra HIGH;
)" + rounds("1", "2") + "ret;\nHIGH:\n" + rounds("2", "5")),
                                   {1}, {128}, parameters(out));
    const auto values = gpu.read<std::uint32_t>(out, 128);
    for (unsigned i = 0; i < 128; ++i) EXPECT_EQ(values[i], i < 64 ? i + 2 : (i ^ 32) + 5);
    EXPECT_EQ(counts[Count::barriers], 2u * 2 * 2 + 2u * 2 * 5);
}

TEST(WarpWaits, BarWarpSyncInBothBranches) {
    // The two sides meet at different bar.warp.sync instructions with the full mask.
    Gpu gpu;
    auto out = gpu.buffer(std::vector<std::uint32_t>(32));
    gpu.launch(module("u64 out", R"(
.shared .align 4 .b8 s[128];
)" + index_into("out") + R"(
mov.u32 %r5, s; shl.b32 %r6, %r2, 2; add.u32 %r6, %r5, %r6; xor.b32 %r7, %r6, 64;
setp.lt.u32 %p1, %r2, 16;
@%p1 bra LOW;
add.u32 %r8, %r2, 100; st.shared.u32 [%r6], %r8;
bar.warp.sync -1;
ld.shared.u32 %r9, [%r7];
bra DONE;
LOW:
add.u32 %r8, %r2, 200; st.shared.u32 [%r6], %r8;
bar.warp.sync -1;
ld.shared.u32 %r9, [%r7];
DONE:
st.global.u32 [%rd2], %r9;)"),
               {1}, {32}, parameters(out));
    const auto values = gpu.read<std::uint32_t>(out, 32);
    for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(values[i], i < 16 ? (i + 16) + 100 : (i - 16) + 200);
}

TEST(WarpWaits, ShuffleAmongTheLanesOfABranch) {
    Gpu gpu;
    auto out = gpu.buffer(std::vector<std::uint32_t>(32));
    gpu.launch(module("u64 out", index_into("out") + R"(
add.u32 %r5, %r2, 500; mov.u32 %r6, 0;
and.b32 %r7, %r2, 1; setp.eq.u32 %p1, %r7, 0;
@%p1 bra EVEN;
shfl.sync.bfly.b32 %r6, %r5, 2, 31, 0xaaaaaaaa;
vote.sync.ballot.b32 %r8, 1, 0xaaaaaaaa;
bra DONE;
EVEN:
shfl.sync.idx.b32 %r6, %r5, 4, 31, 0x55555555;
vote.sync.ballot.b32 %r8, 1, 0x55555555;
DONE:
and.b32 %r8, %r8, 0xf0000; add.u32 %r6, %r6, %r8;
st.global.u32 [%rd2], %r6;)"),
               {1}, {32}, parameters(out));
    const auto values = gpu.read<std::uint32_t>(out, 32);
    for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(values[i], i % 2 ? 500 + (i ^ 2) + 0xa0000 : 504 + 0x50000) << i;
}

TEST(WarpWaits, SumOfAWarpByShuffles) {
    Gpu gpu;
    auto out = gpu.buffer(std::vector<std::uint32_t>(64));
    const auto counts = gpu.counts(module("u64 out", index_into("out") + R"(
mov.u32 %r5, %r2;
shfl.sync.down.b32 %r6, %r5, 16, 31, -1; add.u32 %r5, %r5, %r6;
shfl.sync.down.b32 %r6, %r5, 8, 31, -1; add.u32 %r5, %r5, %r6;
shfl.sync.down.b32 %r6, %r5, 4, 31, -1; add.u32 %r5, %r5, %r6;
shfl.sync.down.b32 %r6, %r5, 2, 31, -1; add.u32 %r5, %r5, %r6;
shfl.sync.down.b32 %r6, %r5, 1, 31, -1; add.u32 %r5, %r5, %r6;
shfl.sync.idx.b32 %r5, %r5, 0, 31, -1;
st.global.u32 [%rd2], %r5;)"),
                                   {1}, {64}, parameters(out));
    const auto values = gpu.read<std::uint32_t>(out, 64);
    for (unsigned i = 0; i < 64; ++i) EXPECT_EQ(values[i], i < 32 ? 496u : 496u + 32 * 32);
    EXPECT_EQ(counts[Count::mix_warp], 12u);
}

TEST(Progress, SpinLockWithinAWarp) {
    // Every lane takes the lock in turn; the winner leaves the loop only after its critical section.
    Gpu gpu(2);
    auto state = gpu.buffer(std::vector<std::uint32_t>(2));
    gpu.launch(module("u64 state", R"(
ld.param.u64 %rd1, [state];
TRY:
atom.global.cas.b32 %r1, [%rd1], 0, 1;
setp.ne.u32 %p1, %r1, 0;
@%p1 bra TRY;
ld.volatile.global.u32 %r2, [%rd1+4];
add.u32 %r2, %r2, 1;
st.volatile.global.u32 [%rd1+4], %r2;
membar.gl;
atom.global.exch.b32 %r3, [%rd1], 0;)"),
               {3}, {48}, parameters(state));
    EXPECT_EQ(gpu.read<std::uint32_t>(state, 2), (std::vector<std::uint32_t>{0, 3 * 48}));
}

TEST(Progress, FlagBetweenBlocks) {
    // Block 0 waits for what the last block writes, however few host threads there are.
    for (const unsigned threads : {1u, 4u}) {
        Gpu gpu(threads);
        auto state = gpu.buffer(std::vector<std::uint32_t>(3));
        gpu.launch(module("u64 state", R"(
ld.param.u64 %rd1, [state];
mov.u32 %r1, %ctaid.x; mov.u32 %r2, %nctaid.x; sub.u32 %r2, %r2, 1;
setp.eq.u32 %p1, %r1, %r2;
@%p1 bra WRITE;
setp.ne.u32 %p2, %r1, 0;
@%p2 bra END;
WAIT:
ld.volatile.global.u32 %r3, [%rd1];
setp.eq.u32 %p3, %r3, 0;
@%p3 bra WAIT;
ld.volatile.global.u32 %r4, [%rd1+4];
st.global.u32 [%rd1+8], %r4;
bra END;
WRITE:
st.volatile.global.u32 [%rd1+4], 1234;
membar.gl;
st.volatile.global.u32 [%rd1], 1;
END:)"),
                   {200}, {32}, parameters(state));
        EXPECT_EQ(gpu.read<std::uint32_t>(state, 3), (std::vector<std::uint32_t>{1, 1234, 1234}));
    }
}

TEST(Progress, NoMoreBlocksBeginThanTheDeviceHolds) {
    // Every block waits for block 0, which waits until two blocks have begun on each of the 132 multiprocessors, and
    // then lets the others take many turns. Without a limit all of the grid would begin and have memory meanwhile.
    for (const unsigned threads : {1u, 2u}) {
        Gpu gpu(threads);
        auto state = gpu.buffer(std::vector<std::uint32_t>(3));
        gpu.launch(module("u64 state", R"(
ld.param.u64 %rd1, [state];
mov.u32 %r1, %ctaid.x; mov.u32 %r2, %tid.x;
setp.ne.u32 %p1, %r2, 0;
@%p1 bra END;
atom.global.add.u32 %r3, [%rd1], 1;
setp.ne.u32 %p2, %r1, 0;
@%p2 bra WAIT;
FULL:
ld.volatile.global.u32 %r3, [%rd1];
setp.lt.u32 %p3, %r3, 264;
@%p3 bra FULL;
mov.u32 %r4, 0;
MORE:
ld.volatile.global.u32 %r3, [%rd1];
add.u32 %r4, %r4, 1;
setp.lt.u32 %p3, %r4, 300;
setp.lt.and.u32 %p4, %r3, 100000, %p3;
@%p4 bra MORE;
st.volatile.global.u32 [%rd1+8], %r3;
membar.gl;
st.volatile.global.u32 [%rd1+4], 1;
bra END;
WAIT:
ld.volatile.global.u32 %r3, [%rd1+4];
setp.eq.u32 %p3, %r3, 0;
@%p3 bra WAIT;
END:)"),
                   {400}, {1024}, parameters(state));
        EXPECT_EQ(gpu.read<std::uint32_t>(state, 3), (std::vector<std::uint32_t>{400, 1, 264})) << threads;
    }
}

TEST(Progress, GridBarrierByAtomics) {
    // Each block adds its number, all meet, each then reads the sum; three rounds.
    for (const unsigned threads : {1u, 4u}) {
        Gpu gpu(threads);
        const unsigned blocks = 24;
        auto out = gpu.buffer(std::vector<std::uint32_t>(blocks)), state = gpu.buffer(std::vector<std::uint32_t>(2));
        gpu.launch(module("u64 out, u64 state", R"(
ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [state];
mov.u32 %r1, %ctaid.x; mov.u32 %r2, %nctaid.x; mov.u32 %r3, %tid.x; mov.u32 %r4, 0; mov.u32 %r5, 0;
ROUND:
add.u32 %r5, %r5, %r2;
bar.sync 0;
setp.ne.u32 %p1, %r3, 0;
@%p1 bra MET;
red.global.add.u32 [%rd2+4], %r1;
membar.gl;
atom.global.add.u32 %r6, [%rd2], 1;
WAIT:
ld.volatile.global.u32 %r7, [%rd2];
setp.lt.u32 %p2, %r7, %r5;
@%p2 bra WAIT;
MET:
bar.sync 0;
add.u32 %r4, %r4, 1;
setp.lt.u32 %p3, %r4, 3;
@%p3 bra ROUND;
@%p1 bra END;
ld.volatile.global.u32 %r8, [%rd2+4];
mul.wide.u32 %rd3, %r1, 4; add.s64 %rd1, %rd1, %rd3;
st.global.u32 [%rd1], %r8;
END:)"),
                   {blocks}, {64}, parameters(out, state));
        EXPECT_EQ(gpu.read<std::uint32_t>(out, blocks),
                  std::vector<std::uint32_t>(blocks, 3 * (blocks - 1) * blocks / 2))
            << threads;
    }
}

}  // namespace waits_test
