// mbarriers and clusters: phases, counts of arrivals and bytes, waiting, shared memory of other blocks, and what goes
// wrong.
#include "support.hpp"

namespace hopper_barriers_test {

using namespace device_tests;
using ::testing::HasSubstr;

/// A wait as compilers write it: the retry loop around try_wait.
std::string wait(const std::string& barrier, const std::string& parity, const std::string& label) {
    return label + ": mbarrier.try_wait.parity.shared::cta.b64 %p10, [" + barrier + "], " + parity + ";\n@%p10 bra " +
           label + "_OVER;\nbra " + label + ";\n" + label + "_OVER:\n";
}

TEST(Mbarrier, CountsArrivalsAndPhases) {
    Gpu gpu;
    auto out = gpu.buffer(std::vector<std::uint32_t>(12));
    gpu.launch(module("u64 out", R"(
.shared .align 8 .b64 bar;
ld.param.u64 %rd1, [out];
mbarrier.init.shared::cta.b64 [bar], 3;
mbarrier.arrive.shared::cta.b64 %rd2, [bar];
mbarrier.pending_count.b64 %r1, %rd2;
st.global.u32 [%rd1], %r1;
mbarrier.test_wait.shared::cta.b64 %p1, [bar], %rd2;
selp.u32 %r1, 1, 0, %p1; st.global.u32 [%rd1+4], %r1;
mbarrier.test_wait.parity.shared::cta.b64 %p1, [bar], 1;
selp.u32 %r1, 1, 0, %p1; st.global.u32 [%rd1+8], %r1;
mbarrier.arrive.noComplete.shared::cta.b64 %rd3, [bar], 1;
mbarrier.pending_count.b64 %r1, %rd3;
st.global.u32 [%rd1+12], %r1;
mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [bar], 64;
mbarrier.arrive.shared::cta.b64 %rd3, [bar], 1;
mbarrier.test_wait.shared::cta.b64 %p1, [bar], %rd2;
selp.u32 %r1, 1, 0, %p1; st.global.u32 [%rd1+16], %r1;
mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [bar], 64;
mbarrier.test_wait.shared::cta.b64 %p1, [bar], %rd2;
selp.u32 %r1, 1, 0, %p1; st.global.u32 [%rd1+20], %r1;
mbarrier.arrive_drop.shared::cta.b64 %rd3, [bar];
mbarrier.pending_count.b64 %r1, %rd3; st.global.u32 [%rd1+24], %r1;
mbarrier.arrive.shared::cta.b64 %rd3, [bar], 2;
mbarrier.arrive.shared::cta.b64 %rd3, [bar];
mbarrier.pending_count.b64 %r1, %rd3; st.global.u32 [%rd1+28], %r1;
mbarrier.test_wait.parity.shared::cta.b64 %p1, [bar], 1;
selp.u32 %r1, 1, 0, %p1; st.global.u32 [%rd1+32], %r1;
mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 8;
mbarrier.test_wait.parity.shared::cta.b64 %p1, [bar], 0;
selp.u32 %r1, 1, 0, %p1; st.global.u32 [%rd1+36], %r1;
mbarrier.inval.shared::cta.b64 [bar];)"),
               {1}, {1}, parameters(out));
    EXPECT_EQ(gpu.read<std::uint32_t>(out, 10), (std::vector<std::uint32_t>{3, 0, 1, 2, 0, 1, 3, 2, 1, 0}));
}

/// Warp 0 fills a ring of two slots, warps 1 and 2 take from it; full and empty mbarriers hand them over.
std::string ring(unsigned rounds) {
    return module("u64 out", R"(
.shared .align 8 .b64 full[2];
.shared .align 8 .b64 empty[2];
.shared .align 4 .b8 data[256];
ld.param.u64 %rd1, [out];
mov.u32 %r1, %tid.x; and.b32 %r2, %r1, 31; shr.u32 %r3, %r1, 5;
mov.u32 %r4, full; mov.u32 %r5, empty; mov.u32 %r6, data;
setp.ne.u32 %p1, %r1, 0;
@%p1 bra READY;
mbarrier.init.shared::cta.b64 [full], 32;
mbarrier.init.shared::cta.b64 [full+8], 32;
mbarrier.init.shared::cta.b64 [empty], 64;
mbarrier.init.shared::cta.b64 [empty+8], 64;
fence.mbarrier_init.release.cluster;
READY:
bar.sync 0;
mov.u32 %r10, 0; mov.u32 %r11, 0;
setp.ne.u32 %p2, %r3, 0;
@%p2 bra TAKE;
FILL:
and.b32 %r12, %r10, 1; shr.u32 %r13, %r10, 1; and.b32 %r13, %r13, 1; xor.b32 %r14, %r13, 1;
shl.b32 %r15, %r12, 3; add.u32 %r16, %r5, %r15; add.u32 %r17, %r4, %r15;
)" + wait("%r16", "%r14", "WE") + R"(
shl.b32 %r18, %r12, 7; shl.b32 %r19, %r2, 2; add.u32 %r18, %r18, %r19; add.u32 %r18, %r6, %r18;
mad.lo.u32 %r20, %r10, 1000, %r2;
st.shared.u32 [%r18], %r20;
mbarrier.arrive.shared::cta.b64 %rd3, [%r17];
add.u32 %r10, %r10, 1;
setp.lt.u32 %p3, %r10, )" + std::to_string(rounds) +
                                 R"(;
@%p3 bra FILL;
ret;
TAKE:
and.b32 %r12, %r10, 1; shr.u32 %r13, %r10, 1; and.b32 %r13, %r13, 1;
shl.b32 %r15, %r12, 3; add.u32 %r16, %r5, %r15; add.u32 %r17, %r4, %r15;
)" + wait("%r17", "%r13", "WF") + R"(
shl.b32 %r18, %r12, 7; xor.b32 %r19, %r2, 5; shl.b32 %r19, %r19, 2; add.u32 %r18, %r18, %r19; add.u32 %r18, %r6, %r18;
ld.shared.u32 %r20, [%r18];
mad.lo.u32 %r11, %r20, %r3, %r11;
mbarrier.arrive.shared::cta.b64 %rd3, [%r16];
add.u32 %r10, %r10, 1;
setp.lt.u32 %p3, %r10, )" + std::to_string(rounds) +
                                 R"(;
@%p3 bra TAKE;
mov.u32 %r21, %ctaid.x; mov.u32 %r22, 64; sub.u32 %r23, %r1, 32; mad.lo.u32 %r23, %r21, %r22, %r23;
mul.wide.u32 %rd4, %r23, 4; add.s64 %rd1, %rd1, %rd4;
st.global.u32 [%rd1], %r11;)");
}

TEST(Mbarrier, RingBetweenWarps) {
    for (const unsigned threads : {1u, 2u, 4u}) {
        Gpu gpu(threads);
        const unsigned blocks = 7, rounds = 11;
        auto out = gpu.buffer(std::vector<std::uint32_t>(blocks * 64));
        gpu.launch(ring(rounds), {blocks}, {96}, parameters(out));
        const auto values = gpu.read<std::uint32_t>(out, blocks * 64);
        for (unsigned i = 0; i < values.size(); ++i) {
            const unsigned lane = i % 32, warp = 1 + i / 32 % 2;
            EXPECT_EQ(values[i], warp * (1000 * rounds * (rounds - 1) / 2 + rounds * (lane ^ 5))) << i;
        }
    }
}

TEST(Mbarrier, WaitingCountsEachInstructionOnce) {
    // However often a warp looks again, its try_wait is one instruction.
    Gpu gpu;
    auto out = gpu.buffer(std::vector<std::uint32_t>(64));
    const auto few = gpu.counts(ring(4), {1}, {96}, parameters(out)),
               more = gpu.counts(ring(5), {1}, {96}, parameters(out));
    const auto again = gpu.counts(ring(5), {1}, {96}, parameters(out));
    EXPECT_EQ(more, again);
    EXPECT_EQ(more[Count::instructions] - few[Count::instructions], 3 * 19u);
}

TEST(Mbarrier, LanesOfOneWarpWaitForEachOther) {
    // Lane 0 produces in a loop of its own, the other lanes consume in theirs.
    Gpu gpu;
    auto out = gpu.buffer(std::vector<std::uint32_t>(32));
    gpu.launch(module("u64 out", R"(
.shared .align 8 .b64 full;
.shared .align 8 .b64 empty;
.shared .align 4 .b32 word;
ld.param.u64 %rd1, [out];
mov.u32 %r1, %tid.x; mov.u32 %r2, 0; mov.u32 %r3, 0;
setp.ne.u32 %p1, %r1, 0;
@%p1 bra READY;
mbarrier.init.shared::cta.b64 [full], 1;
mbarrier.init.shared::cta.b64 [empty], 31;
READY:
bar.warp.sync -1;
@%p1 bra TAKE;
FILL:
and.b32 %r4, %r2, 1; xor.b32 %r4, %r4, 1;
)" + wait("empty", "%r4", "WE") + R"(
add.u32 %r5, %r2, 100;
st.shared.u32 [word], %r5;
mbarrier.arrive.shared::cta.b64 %rd3, [full];
add.u32 %r2, %r2, 1; setp.lt.u32 %p2, %r2, 5;
@%p2 bra FILL;
ret;
TAKE:
and.b32 %r4, %r2, 1;
)" + wait("full", "%r4", "WF") + R"(
ld.shared.u32 %r5, [word];
add.u32 %r3, %r3, %r5;
mbarrier.arrive.shared::cta.b64 %rd3, [empty];
add.u32 %r2, %r2, 1; setp.lt.u32 %p2, %r2, 5;
@%p2 bra TAKE;
mul.wide.u32 %rd4, %r1, 4; add.s64 %rd1, %rd1, %rd4;
st.global.u32 [%rd1], %r3;)"),
               {1}, {32}, parameters(out));
    const auto values = gpu.read<std::uint32_t>(out, 32);
    for (unsigned l = 1; l < 32; ++l) EXPECT_EQ(values[l], 510u) << l;
}

TEST(Mbarrier, LanesWaitInALoopThatAllShare) {
    // Each round lane r waits for another warp, the rest are further on and must stay in the same round.
    Gpu gpu;
    auto out = gpu.buffer(std::vector<std::uint32_t>(32));
    gpu.launch(module("u64 out", R"(
.shared .align 8 .b64 bar;
.shared .align 8 .b64 back;
ld.param.u64 %rd1, [out];
mov.u32 %r1, %tid.x; mov.u32 %r2, 0; mov.u32 %r3, 0;
setp.ne.u32 %p1, %r1, 0;
@%p1 bra READY;
mbarrier.init.shared::cta.b64 [bar], 1;
mbarrier.init.shared::cta.b64 [back], 1;
READY:
bar.sync 0;
setp.ge.u32 %p2, %r1, 32;
@%p2 bra OTHER;
ROUND:
and.b32 %r4, %r2, 1;
setp.ne.u32 %p3, %r1, %r2;
@%p3 bra ON;
mbarrier.arrive.shared::cta.b64 %rd3, [back];
)" + wait("bar", "%r4", "WB") + R"(
add.u32 %r3, %r3, 1000;
ON:
add.u32 %r3, %r3, %r2;
add.u32 %r2, %r2, 1; setp.lt.u32 %p4, %r2, 8;
@%p4 bra ROUND;
mul.wide.u32 %rd4, %r1, 4; add.s64 %rd1, %rd1, %rd4;
st.global.u32 [%rd1], %r3;
ret;
OTHER:
setp.ne.u32 %p5, %r1, 32;
@%p5 bra END;
AGAIN:
and.b32 %r4, %r2, 1;
)" + wait("back", "%r4", "WK") + R"(
mbarrier.arrive.shared::cta.b64 %rd3, [bar];
add.u32 %r2, %r2, 1; setp.lt.u32 %p4, %r2, 8;
@%p4 bra AGAIN;
END:)"),
               {1}, {64}, parameters(out));
    const auto values = gpu.read<std::uint32_t>(out, 32);
    for (unsigned l = 0; l < 32; ++l) EXPECT_EQ(values[l], 28 + (l < 8 ? 1000u : 0u)) << l;
}

TEST(Mbarrier, AskingInALoopAndWaitingInOneKernel) {
    // test_wait does not wait: the loop around it spins, and the function's lanes may run apart. Warps with lanes
    // missing.
    for (const unsigned threads : {33u, 64u, 100u}) {
        Gpu gpu(2);
        auto out = gpu.buffer(std::vector<std::uint32_t>(3 * threads));
        gpu.launch(
            module("u64 out", ".shared .align 8 .b64 bar;\n.shared .align 8 .b64 go;\n.shared .align 4 .b32 word;\n" +
                                  index_into("out") + R"(
mov.u32 %r10, 0; mov.u32 %r11, 0;
setp.ne.u32 %p1, %r2, 0;
@%p1 bra READY;
mbarrier.init.shared::cta.b64 [bar], %r4;
mbarrier.init.shared::cta.b64 [go], 1;
READY:
bar.sync 0;
ROUND:
and.b32 %r12, %r10, 1;
@%p1 bra ASK;
add.u32 %r13, %r10, 5; st.shared.u32 [word], %r13;
mbarrier.arrive.shared::cta.b64 %rd3, [go];
ASK: mbarrier.test_wait.parity.shared::cta.b64 %p2, [go], %r12;
@!%p2 bra ASK;
ld.volatile.shared.u32 %r14, [word]; add.u32 %r11, %r11, %r14;
mbarrier.arrive.shared::cta.b64 %rd3, [bar];
)" + wait("bar", "%r12", "W") + R"(
add.u32 %r10, %r10, 1; setp.lt.u32 %p3, %r10, 6;
@%p3 bra ROUND;
st.global.u32 [%rd2], %r11;)"),
            {3}, {threads}, parameters(out));
        EXPECT_EQ(gpu.read<std::uint32_t>(out, 3 * threads),
                  std::vector<std::uint32_t>(3 * threads, 5 + 6 + 7 + 8 + 9 + 10))
            << threads;
    }
}

TEST(Mbarrier, EachLaneItsOwn) {
    // Every lane waits at one of 32 mbarriers, which the other warp lets go one after another.
    Gpu gpu;
    auto out = gpu.buffer(std::vector<std::uint32_t>(64));
    gpu.launch(module("u64 out", ".shared .align 8 .b8 bars[256];\n" + index_into("out") + R"(
mov.u32 %r5, bars; and.b32 %r6, %r2, 31; shl.b32 %r7, %r6, 3; add.u32 %r7, %r5, %r7;
setp.ge.u32 %p1, %r2, 32;
@%p1 bra READY;
mbarrier.init.shared::cta.b64 [%r7], 1;
READY:
bar.sync 0;
mov.u32 %r8, 0;
@%p1 bra OTHER;
)" + wait("%r7", "0", "W") + R"(
add.u32 %r8, %r6, 1;
bra DONE;
OTHER:
mbarrier.arrive.shared::cta.b64 %rd3, [%r7];
DONE:
st.global.u32 [%rd2], %r8;)"),
               {1}, {64}, parameters(out));
    const auto v = gpu.read<std::uint32_t>(out, 64);
    for (unsigned i = 0; i < 64; ++i) EXPECT_EQ(v[i], i < 32 ? i + 1 : 0) << i;
}

TEST(Mbarrier, WaitersGoOnWhateverBecomesOfIt) {
    // The last warp to arrive completes the phase. The first one then runs on, before the others have looked.
    const auto kernel = [](const std::string& waiting, const std::string& then) {
        return module("u64 out", ".shared .align 8 .b64 bar;\n" + index_into("out") + R"(
setp.ne.u32 %p1, %r2, 0;
@%p1 bra READY;
mbarrier.init.shared::cta.b64 [bar], %r4;
READY:
bar.sync 0;
mbarrier.arrive.shared::cta.b64 %rd3, [bar];
)" + waiting + "\n@%p1 bra DONE;\n" + then +
                                     R"(
DONE:
add.u32 %r5, %r2, 1;
st.global.u32 [%rd2], %r5;)");
    };
    const std::string inval = "mbarrier.inval.shared::cta.b64 [bar];\n",
                      init = "mbarrier.init.shared::cta.b64 [bar], 7;\n",
                      by_state =
                          "W: mbarrier.try_wait.shared::cta.b64 %p10, [bar], %rd3;\n@%p10 bra OVER;\nbra W;\nOVER:\n",
                      ask = "mbarrier.test_wait.parity.shared::cta.b64 %p9, [bar], 0;\n@!%p9 trap;\n";
    for (const auto& waiting : {wait("bar", "0", "W"), by_state})
        for (const auto& then : {inval, init, inval + inval, inval + init, inval + ask}) {
            Gpu gpu;
            auto out = gpu.buffer(std::vector<std::uint32_t>(250));
            gpu.launch(kernel(waiting, then), {1}, {250}, parameters(out));
            EXPECT_EQ(gpu.read<std::uint32_t>(out, 250), iota(250, 1u)) << waiting << then;
        }
}

TEST(Mbarrier, MessagesNameWhoInvalidated) {
    Gpu gpu;
    const auto fault = [&](const std::string& body, unsigned threads) {
        const auto ptx = module("u64 out", ".shared .align 8 .b64 bar;\nmov.u32 %r1, %tid.x;\n" + body);
        auto r = gpu.try_launch(ptx, {1}, {threads}, parameters(std::uint64_t{0}));
        return std::pair(r ? std::string("no error") : r.error().text(),
                         "invalidated at test.ptx:" + std::to_string(line_of(ptx, "mbarrier.inval")));
    };
    const auto [arrives, there] = fault(
        "mbarrier.init.shared::cta.b64 [bar], 1;\nmbarrier.inval.shared::cta.b64 [bar];\n"
        "mbarrier.arrive.shared::cta.b64 %rd2, [bar];",
        1);
    EXPECT_THAT(arrives, HasSubstr(there));
    const auto [waits, here] = fault(
        "setp.eq.u32 %p1, %r1, 0;\n@%p1 mbarrier.init.shared::cta.b64 [bar], 2;\nbar.sync 0;\n"
        "setp.ge.u32 %p1, %r1, 32;\n@%p1 bra OTHER;\n" +
            wait("bar", "0", "W") +
            "ret;\nOTHER:\nsetp.ne.u32 %p1, %r1, 32;\n@%p1 bra END;\nmbarrier.inval.shared::cta.b64 [bar];\nEND:\n",
        64);
    EXPECT_THAT(waits,
                HasSubstr("the phase of parity 0 of the mbarrier at shared address 0x0 was not complete when it was "));
    EXPECT_THAT(waits, HasSubstr(here));
}

TEST(Mbarrier, FaultsSayWhatIsWrong) {
    Gpu gpu;
    auto fault = [&](const std::string& body) {
        auto r = gpu.try_launch(
            module("u64 out",
                   ".shared .align 8 .b64 bar;\n.shared .align 8 .b64 more;\nmov.u32 %r60, bar; mov.u32 %r60, more;\n" +
                       body),
            {1}, {1}, parameters(std::uint64_t{0}));
        return r ? std::string("no error") : r.error().text();
    };
    EXPECT_THAT(fault("mbarrier.arrive.shared::cta.b64 %rd2, [bar];"), HasSubstr("never initialised"));
    EXPECT_THAT(fault("mbarrier.init.shared::cta.b64 [bar], 0;"), HasSubstr("1 to 1048575 arrivals, not 0"));
    EXPECT_THAT(fault("mov.u32 %r1, bar; mbarrier.init.shared::cta.b64 [%r1+4], 1;"), HasSubstr("not aligned"));
    EXPECT_THAT(fault("mov.u32 %r1, 100000; mbarrier.init.shared::cta.b64 [%r1], 1;"),
                HasSubstr("not in shared memory"));
    EXPECT_THAT(fault("mbarrier.init.shared::cta.b64 [bar], 2;\nmbarrier.arrive.shared::cta.b64 %rd2, [bar], 3;"),
                HasSubstr("1 more than the 2"));
    EXPECT_THAT(
        fault("mbarrier.init.shared::cta.b64 [bar], 1;\nmbarrier.arrive.noComplete.shared::cta.b64 %rd2, [bar], 1;"),
        HasSubstr(".noComplete rules out"));
    const auto one = fault(
        "mbarrier.init.shared::cta.b64 [more], 5;\nmbarrier.arrive.expect_tx.shared::cta.b64 %rd2, [more], 48;\n" +
        wait("more", "0", "W"));
    EXPECT_THAT(one, HasSubstr("address 0x8 still lacks 4 of 5 arrivals and 48 bytes"));
    EXPECT_THAT(one, HasSubstr("mbarrier.try_wait"));
}

TEST(Cluster, RegistersAndPeers) {
    // Each block writes its number, and then adds what the next block of its cluster wrote.
    for (const unsigned threads : {1u, 2u, 4u}) {
        Gpu gpu(threads);
        auto out = gpu.buffer(std::vector<std::uint32_t>(12 * 2 * 4));
        const auto ptx = module("u64 out", R"(
.shared .align 4 .b32 word;
.shared .align 4 .b32 count;
ld.param.u64 %rd1, [out];
mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ctaid.y; mad.lo.u32 %r3, %r2, 12, %r1;
mov.u32 %r4, %cluster_ctarank; mov.u32 %r5, %cluster_nctarank;
add.u32 %r6, %r3, 100; st.shared.u32 [word], %r6; mov.u32 %r7, 0; st.shared.u32 [count], %r7;
barrier.cluster.arrive.aligned;
barrier.cluster.wait.aligned;
add.u32 %r8, %r4, 1; rem.u32 %r8, %r8, %r5;
mov.u32 %r9, word; mapa.shared::cluster.u32 %r10, %r9, %r8;
ld.shared::cluster.u32 %r11, [%r10];
getctarank.shared::cluster.u32 %r12, %r10;
cvt.u64.u32 %rd9, %r9; cvta.shared.u64 %rd2, %rd9; mapa.u64 %rd3, %rd2, %r8; ld.u32 %r13, [%rd3];
mov.u32 %r14, count; mapa.shared::cluster.u32 %r14, %r14, 0;
atom.shared::cluster.add.u32 %r15, [%r14], 1;
barrier.cluster.arrive.release;
barrier.cluster.wait.acquire;
ld.shared::cluster.u32 %r16, [%r14];
barrier.cluster.arrive;
barrier.cluster.wait;
mul.wide.u32 %rd4, %r3, 16; add.s64 %rd1, %rd1, %rd4;
sub.u32 %r13, %r13, %r11;
mov.u32 %r17, %clusterid.x; mad.lo.u32 %r17, %r17, 10, %r12; mad.lo.u32 %r17, %r13, 1000, %r17;
mov.u32 %r18, %cluster_ctaid.y; mad.lo.u32 %r18, %r18, 10, %r5;
st.global.v4.u32 [%rd1], {%r11, %r16, %r17, %r18};)");
        gpu.launch(ptx, {12, 2}, {1}, parameters(out), {}, 0, {3, 2, 1});
        const auto v = gpu.read<std::uint32_t>(out, 12 * 2 * 4);
        for (unsigned y = 0; y < 2; ++y)
            for (unsigned x = 0; x < 12; ++x) {
                const unsigned rank = x % 3 + 3 * y, next = (rank + 1) % 6, first = x / 3 * 3, at = (y * 12 + x) * 4;
                EXPECT_EQ(v[at], 100 + (next / 3) * 12 + first + next % 3) << x << " " << y;
                EXPECT_EQ(v[at + 1], 6u);
                EXPECT_EQ(v[at + 2], x / 3 * 10 + next);
                EXPECT_EQ(v[at + 3], y * 10 + 6);
            }
    }
}

TEST(Cluster, RemoteArrivalsAndStores) {
    // Rank 0 waits on its mbarrier for a word from every other block.
    Gpu gpu(2);
    auto out = gpu.buffer(std::vector<std::uint32_t>(4 * 4));
    gpu.launch(module("u64 out", R"(
.shared .align 8 .b64 bar;
.shared .align 4 .b8 words[16];
ld.param.u64 %rd1, [out];
mov.u32 %r1, %cluster_ctarank; mov.u32 %r2, %tid.x; mov.u32 %r20, %clusterid.x;
setp.ne.u32 %p1, %r1, 0; setp.ne.or.u32 %p2, %r2, 0, %p1;
@%p2 bra READY;
mbarrier.init.shared::cta.b64 [bar], 4;
READY:
barrier.cluster.arrive; barrier.cluster.wait;
mov.u32 %r3, bar; mapa.shared::cluster.u32 %r3, %r3, 0;
mov.u32 %r4, words; mapa.shared::cluster.u32 %r4, %r4, 0; shl.b32 %r5, %r1, 2; add.u32 %r4, %r4, %r5;
setp.ne.u32 %p3, %r2, 0;
@%p3 bra SENT;
mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [%r3], 4;
mad.lo.u32 %r6, %r20, 100, %r1; add.u32 %r6, %r6, 7;
st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r4], %r6, [%r3];
SENT:
@%p1 bra END;
)" + wait("bar", "0", "W") + R"(
mov.u32 %r7, words; shl.b32 %r8, %r2, 2; add.u32 %r7, %r7, %r8; ld.shared.u32 %r9, [%r7];
mad.lo.u32 %r10, %r20, 4, %r2; mul.wide.u32 %rd2, %r10, 4; add.s64 %rd1, %rd1, %rd2;
st.global.u32 [%rd1], %r9;
END:
barrier.cluster.arrive; barrier.cluster.wait;)"),
               {16}, {4}, parameters(out), {}, 0, {4, 1, 1});
    const auto v = gpu.read<std::uint32_t>(out, 16);
    for (unsigned i = 0; i < 16; ++i) EXPECT_EQ(v[i], i / 4 * 100 + i % 4 + 7) << i;
}

TEST(Cluster, SizesAreChecked) {
    Gpu gpu;
    auto launch = [&](const std::string& directives, Extent grid, Extent cluster) {
        const auto ptx = kHeader + ".visible .entry k()" + directives + "\n{\nret;\n}\n";
        auto r = gpu.try_launch(ptx, grid, {32}, {}, {}, 0, "k", cluster);
        return r ? std::string("fine") : r.error().text();
    };
    EXPECT_EQ(launch("", {8}, {4, 1, 1}), "fine");
    EXPECT_EQ(launch(" .reqnctapercluster 2, 1, 1", {8}, {0, 0, 0}), "fine");
    EXPECT_THAT(launch("", {9}, {4, 1, 1}), HasSubstr("do not divide the grid"));
    EXPECT_THAT(launch("", {32}, {32, 1, 1}), HasSubstr("allowed are 16"));
    EXPECT_THAT(launch(" .reqnctapercluster 2, 1, 1", {8}, {4, 1, 1}), HasSubstr("requires clusters of 2x1x1"));
    EXPECT_THAT(launch(" .explicitcluster", {8}, {0, 0, 0}), HasSubstr(".explicitcluster"));
    EXPECT_THAT(launch(" .maxclusterrank 2", {8}, {4, 1, 1}), HasSubstr("allowed are 2"));
}

TEST(Cluster, DeadlockIsFound) {
    Gpu gpu;
    auto r = gpu.try_launch(
        module("u64 out",
               "mov.u32 %r1, %cluster_ctarank; setp.eq.u32 %p1, %r1, 0;\n@%p1 bra W;\nbar.sync 0;\nmov.u32 %r2, 1;\n"
               ".shared .align 8 .b64 bar;\nmbarrier.init.shared::cta.b64 [bar], 1;\n" +
                   wait("bar", "0", "L") + "W:\nbarrier.cluster.arrive;\nbarrier.cluster.wait;\n"),
        {2}, {64}, parameters(std::uint64_t{0}), {}, 0, "k", {2, 1, 1});
    ASSERT_FALSE(r);
    EXPECT_THAT(r.error().text(), HasSubstr("deadlock"));
}

TEST(Hopper, NothingsAreCounted) {
    Gpu gpu;
    const auto counts = gpu.counts(
        module("u64 out",
               "setmaxnreg.inc.sync.aligned.u32 240;\nsetmaxnreg.dec.sync.aligned.u32 40;\ngriddepcontrol.wait;\n"
               "griddepcontrol.launch_dependents;\nfence.proxy.async;\nfence.proxy.async.shared::cta;\nfence.mbarrier_"
               "init.release.cluster;"),
        {1}, {128}, parameters(std::uint64_t{0}));
    EXPECT_EQ(counts[Count::instructions], 4 * 8u);
    EXPECT_EQ(counts[Count::mix_control], 4 * 8u);
    auto r = gpu.try_launch(module("u64 out", "setmaxnreg.inc.sync.aligned.u32 250;"), {1}, {128},
                            parameters(std::uint64_t{0}));
    ASSERT_FALSE(r);
    EXPECT_THAT(r.error().text(), HasSubstr("multiple of 8"));
}

}  // namespace hopper_barriers_test
