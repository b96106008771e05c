// The warp IR as text for small kernels, the verifier on broken graphs, and how values vary over lanes.
#include <algorithm>
#include <memory>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ptx/parser.hpp"
#include "simt/passes.hpp"
#include "simt/shape.hpp"

namespace graph_test {

using namespace warpwright;
using namespace warpwright::simt;

/// The module a graph points into lives as long as the test program.
Function lowered(const std::string& body, const std::string& functions = "",
                 const std::string& parameters = ".param .u64 a, .param .u32 n") {
    static std::vector<std::unique_ptr<ptx::Module>> modules;
    auto parsed = ptx::parse(
        ".version 8.0\n.target sm_90\n.address_size 64\n" + functions + ".visible .entry k(" + parameters +
            ")\n{\n.reg .pred %p<8>;\n.reg .b32 %r<32>;\n.reg .b64 %rd<16>;\n.reg .f32 %f<8>;\n" + body + "\nret;\n}\n",
        "test.ptx");
    if (!parsed) throw std::runtime_error(parsed.error().text());
    modules.push_back(std::make_unique<ptx::Module>(std::move(*parsed)));
    ptx::SymbolId id = 0;
    while (modules.back()->functions[id].name != "k") ++id;
    auto f = lower(*modules.back(), id);
    if (!f) throw std::runtime_error(f.error().text());
    return *f;
}

const char* kLoop = R"(
ld.param.u32 %r1, [n];
mov.u32 %r2, 0;
L:
add.u32 %r2, %r2, %r1;
sub.u32 %r1, %r1, 1;
setp.ne.u32 %p1, %r1, 0;
@%p1 bra L;
ld.param.u64 %rd1, [a];
st.global.u32 [%rd1], %r2;)";
const char* kIf = R"(
ld.param.u64 %rd1, [a];
mov.u32 %r1, %tid.x;
setp.lt.u32 %p1, %r1, 5;
mov.u32 %r2, 1;
@%p1 bra THEN;
st.global.u32 [%rd1+4], %r1;
mov.u32 %r2, 2;
THEN:
st.global.u32 [%rd1], %r2;)";
const char* kBarrier = R"(
.shared .align 4 .b8 s[128];
mov.u32 %r1, %tid.x;
st.shared.u32 [s], %r1;
bar.sync 0;
ld.shared.u32 %r2, [s];
ld.param.u64 %rd1, [a];
st.global.u32 [%rd1], %r2;)";
const char* kCallee =
    ".func (.param .b32 r) twice(.param .b32 x)\n{\n.reg .b32 %r<4>;\nld.param.u32 %r1, [x];\nshl.b32 %r2, %r1, "
    "1;\nst.param.b32 [r], %r2;\nret;\n}\n";
const char* kCall = R"(
ld.param.u32 %r1, [n];
{ .param .b32 a1; .param .b32 b1;
st.param.b32 [a1], %r1;
call.uni (b1), twice, (a1);
ld.param.b32 %r2, [b1]; }
ld.param.u64 %rd1, [a];
st.global.u32 [%rd1], %r2;)";

#include "golden.inc"

TEST(Print, Loop) { EXPECT_EQ(print(lowered(kLoop)), kLoopText); }
TEST(Print, If) { EXPECT_EQ(print(lowered(kIf)), kIfText); }
TEST(Print, Barrier) { EXPECT_EQ(print(lowered(kBarrier)), kBarrierText); }
TEST(Print, InlinedCall) { EXPECT_EQ(print(lowered(kCall, kCallee)), kCallText); }

TEST(Verify, TakesWhatLoweringMakes) {
    for (const auto* body : {kLoop, kIf, kBarrier}) EXPECT_EQ(verify(lowered(body)), "");
}

TEST(Verify, CatchesBrokenGraphs) {
    auto f = lowered(kLoop);
    f.blocks[0].end.targets = {99};
    EXPECT_THAT(verify(f), testing::HasSubstr("target out of range"));
    f = lowered(kLoop);
    for (auto& b : f.blocks)
        if (b.end.kind == Terminator::Kind::branch) b.end.targets.pop_back();
    EXPECT_THAT(verify(f), testing::HasSubstr("a branch has 2 targets"));
    f = lowered(kLoop);
    bool changed = false;
    for (auto& b : f.blocks)
        for (auto& i : b.insts)
            if (i.kind == InstKind::phi && !changed) i.in.pop_back(), changed = true;
    ASSERT_TRUE(changed);
    EXPECT_THAT(verify(f), testing::HasSubstr("phi and predecessors differ"));
    f = lowered(kIf);
    f.blocks[0].insts.push_back(f.blocks[0].insts[0]);
    EXPECT_THAT(verify(f), testing::HasSubstr("defined twice"));
    f = lowered(kIf);
    for (auto& b : f.blocks)
        for (auto& i : b.insts)
            for (auto& o : i.in)
                if (o.is_value()) o.value = static_cast<ValueId>(f.values.size());
    EXPECT_THAT(verify(f), testing::HasSubstr("operand out of range"));
}

TEST(TidPattern, FollowsTheBlock) {
    auto p = tid_pattern({256, 1, 1}, 0);
    EXPECT_EQ(p.shape, Shape::affine);
    for (unsigned l = 0; l < 32; ++l) EXPECT_EQ(p.constant[l], l);
    EXPECT_EQ(p.base_align % 32, 0u);
    EXPECT_EQ(p.base_max, 224);
    EXPECT_EQ(tid_pattern({256, 1, 1}, 1).shape, Shape::uniform);
    EXPECT_EQ(tid_pattern({256, 1, 1}, 2).shape, Shape::uniform);
    // 16x16: x repeats in each half warp, y is 2 * warp + lane / 16.
    p = tid_pattern({16, 16, 1}, 0);
    ASSERT_EQ(p.shape, Shape::affine);
    for (unsigned l = 0; l < 32; ++l) EXPECT_EQ(p.constant[l], l % 16);
    EXPECT_EQ(p.base_max, 0);
    p = tid_pattern({16, 16, 1}, 1);
    ASSERT_EQ(p.shape, Shape::affine);
    for (unsigned l = 0; l < 32; ++l) EXPECT_EQ(p.constant[l], l / 16);
    EXPECT_EQ(p.base_max, 14);
    EXPECT_EQ(p.base_align % 2, 0u);
    EXPECT_EQ(tid_pattern({32, 8, 1}, 1).shape, Shape::uniform);
    EXPECT_EQ(tid_pattern({33, 2, 1}, 0).shape, Shape::varying);
    EXPECT_EQ(tid_pattern({10, 7, 3}, 0).shape, Shape::varying);
    p = tid_pattern({4, 4, 4}, 2);
    ASSERT_EQ(p.shape, Shape::affine);
    for (unsigned l = 0; l < 32; ++l) EXPECT_EQ(p.constant[l], l / 16);
}

/// out of the naive product: row * n + k and k * n + column.
TEST(Analyse, NaiveMatmul) {
    const auto f = lowered(R"(
mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ctaid.y;
shl.b32 %r5, %r3, 4; add.s32 %r5, %r5, %r1;
shl.b32 %r6, %r4, 4; add.s32 %r6, %r6, %r2;
ld.param.u32 %r7, [n]; ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; ld.param.u64 %rd3, [c];
mul.lo.s32 %r8, %r6, %r7;
mov.u32 %r9, 0; mov.f32 %f1, 0f00000000;
L:
add.s32 %r10, %r8, %r9; mul.wide.s32 %rd4, %r10, 4; add.s64 %rd4, %rd1, %rd4;
mad.lo.s32 %r11, %r9, %r7, %r5; mul.wide.s32 %rd5, %r11, 4; add.s64 %rd5, %rd2, %rd5;
ld.global.f32 %f2, [%rd4]; ld.global.f32 %f3, [%rd5];
fma.rn.f32 %f1, %f2, %f3, %f1;
add.s32 %r9, %r9, 1;
setp.lt.s32 %p1, %r9, %r7;
@%p1 bra L;
add.s32 %r12, %r8, %r5; mul.wide.s32 %rd6, %r12, 4; add.s64 %rd6, %rd3, %rd6;
st.global.f32 [%rd6], %f1;)",
                           "", ".param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n");
    const BlockShape block{16, 16, 1};
    const auto shapes = analyse(f, block);
    unsigned loads = 0, stores = 0, counters = 0, accumulators = 0;
    for (BlockId b = 0; b < f.blocks.size(); ++b) {
        EXPECT_FALSE(shapes.divergent[b]) << b;
        for (const auto& i : f.blocks[b].insts) {
            if (i.kind == InstKind::phi) {
                const auto type = f.values[i.out[0]].type;
                counters += type == ptx::Type::b32 && shapes.uniform(i.out[0]);
                accumulators += type == ptx::Type::f32 && shapes.varying(i.out[0]);
            }
            if (i.kind != InstKind::load && i.kind != InstKind::store) continue;
            const auto v = i.in[0].value;
            ASSERT_EQ(shapes.of[v], Shape::affine);
            const auto& form = shapes.affine.at(v);
            if (i.kind == InstKind::load && ++loads == 2) {
                for (unsigned l = 0; l < 32; ++l) EXPECT_EQ(form.constant[l] - form.constant[0], 4 * (l % 16));
                EXPECT_TRUE(form.terms.empty());
            } else {
                // The row enters by n: a term of lanes l / 16.
                ASSERT_EQ(form.terms.size(), 1u);
                EXPECT_NE(form.terms[0].lanes[31], form.terms[0].lanes[0]);
                EXPECT_EQ(form.terms[0].lanes[15], form.terms[0].lanes[0]);
            }
            stores += i.kind == InstKind::store;
        }
    }
    EXPECT_EQ(loads, 2u);
    EXPECT_EQ(stores, 1u);
    EXPECT_EQ(counters, 1u);
    EXPECT_EQ(accumulators, 1u);
    const auto off = analyse(f, block, true);
    for (const auto s : off.of) EXPECT_NE(s, Shape::affine);
}

/// Rows of 64 bits: the index that was widened is scaled by a stride that is known when the kernel runs.
TEST(Analyse, RowsOfAWideStride) {
    const auto f = lowered(R"(
mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r4, %ctaid.y;
shl.b32 %r6, %r4, 4; add.s32 %r6, %r6, %r2;
ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [n];
cvt.u64.u32 %rd3, %r6; cvt.u64.u32 %rd4, %r1;
mad.lo.s64 %rd5, %rd3, %rd2, %rd4; shl.b64 %rd5, %rd5, 2; add.s64 %rd6, %rd1, %rd5;
ld.global.f32 %f1, [%rd6]; st.global.f32 [%rd6+4], %f1;)",
                           "", ".param .u64 a, .param .u64 n");
    const auto shapes = analyse(f, {16, 16, 1});
    unsigned accesses = 0;
    for (const auto& block : f.blocks)
        for (const auto& i : block.insts) {
            if (i.kind != InstKind::load && i.kind != InstKind::store) continue;
            ++accesses;
            const auto v = i.in[0].value;
            ASSERT_EQ(shapes.of[v], Shape::affine);
            const auto& form = shapes.affine.at(v);
            ASSERT_EQ(form.terms.size(), 1u);
            for (unsigned l = 0; l < 32; ++l) EXPECT_EQ(form.constant[l] - form.constant[0], 4 * (l % 16));
            EXPECT_EQ(form.terms[0].lanes[31] - form.terms[0].lanes[0], 4);
            // Both widenings: the row's by the stride, the column's by nothing.
            ASSERT_EQ(form.assumes.size(), 2u);
            EXPECT_EQ(form.assumes.begin()->first.scalar.size() + std::next(form.assumes.begin())->first.scalar.size(),
                      1u);
        }
    EXPECT_EQ(accesses, 2u);
}

/// A loop that ends before lanes may be ahead of each other keeps its scalars; one behind a loop that spins does not.
TEST(Analyse, LoopsBeforeASpin) {
    const std::string loop = R"(mov.u32 %r9, 0; mov.u64 %rd4, %rd1;
L: ld.global.f32 %f2, [%rd4]; add.f32 %f1, %f1, %f2; add.s64 %rd4, %rd4, 4; add.s32 %r9, %r9, 1;
setp.lt.s32 %p1, %r9, %r7; @%p1 bra L;
)",
                      spin = R"(ld.global.u32 %r3, [%rd2];
S: mov.u32 %r2, %r3; add.s32 %r4, %r3, 1; atom.global.cas.b32 %r3, [%rd2], %r2, %r4; setp.ne.s32 %p2, %r3, %r2; @%p2 bra S;
)",
                      start = "ld.param.u32 %r7, [n]; ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b];\n",
                      end = "st.global.f32 [%rd2], %f1;\n", parameters = ".param .u64 a, .param .u64 b, .param .u32 n";
    const auto loads_at = [&](const std::string& body, bool apart) {
        const auto f = lowered(start + body + end, "", parameters);
        EXPECT_TRUE(f.strict);
        const auto shapes = analyse(f, {64, 1, 1}, false, apart);
        for (const auto& block : f.blocks)
            for (const auto& i : block.insts)
                if (i.kind == InstKind::load && i.type == ptx::Type::f32) return shapes.of[i.in[0].value];
        return Shape::unknown;
    };
    EXPECT_EQ(loads_at(loop + spin, false), Shape::uniform);
    EXPECT_EQ(loads_at(loop + spin, true), Shape::varying);
    EXPECT_EQ(loads_at(spin + loop, false), Shape::varying);
}

/// From a barrier of all threads on lanes are together again, until a turn may end: also in a loop that spins
/// elsewhere.
TEST(Analyse, LoopsBehindABarrier) {
    const auto loop = [](const std::string& name) {
        return "mov.u32 %r9, 0; mov.u64 %rd4, %rd1;\n" + name +
               ": ld.global.f32 %f2, [%rd4]; add.f32 %f1, %f1, %f2; add.s64 %rd4, %rd4, 4; add.s32 %r9, %r9, 1;\n"
               "setp.lt.s32 %p1, %r9, %r7; @%p1 bra " +
               name + ";\n";
    };
    // One thread waits for a number, as in a barrier of the grid; the others go on.
    const std::string one = R"(mov.u32 %r1, %tid.x; setp.ne.u32 %p3, %r1, 0; @%p3 bra MET;
S: ld.acquire.gpu.global.u32 %r3, [%rd2]; setp.ne.s32 %p2, %r3, %r7; @%p2 bra S;
MET:
)",
                      start =
                          ".shared .align 8 .b64 phase; ld.param.u32 %r7, [n]; ld.param.u64 %rd1, [a]; ld.param.u64 "
                          "%rd2, [b]; mov.u32 %r11, 0;\n",
                      end = "st.global.f32 [%rd2], %f1;\n", parameters = ".param .u64 a, .param .u64 b, .param .u32 n";
    const auto loads = [&](const std::string& body) {
        const auto f = lowered(start + body + end, "", parameters);
        EXPECT_TRUE(f.strict);
        const auto shapes = analyse(f, {64, 1, 1});
        std::string text;
        for (const auto& block : f.blocks)
            for (const auto& i : block.insts)
                if (i.kind == InstKind::load && i.type == ptx::Type::f32)
                    text += shapes.of[i.in[0].value] == Shape::uniform ? 'u' : 'v';
        return text;
    };
    EXPECT_EQ(loads(one + loop("L")), "v");
    EXPECT_EQ(loads(one + "bar.sync 0;\n" + loop("L")), "u");
    EXPECT_EQ(loads(one + "barrier.sync.aligned 0;\n" + loop("L")), "u");
    EXPECT_EQ(loads(one + "barrier.sync 0;\n" + loop("L")), "v") << "a warp's lanes may wait at several such barriers";
    EXPECT_EQ(
        loads(one + "bar.sync 0;\nW: mbarrier.try_wait.parity.shared.b64 %p5, [phase], 0; @!%p5 bra W;\n" + loop("L")),
        "v")
        << "some may wait for a phase";
    EXPECT_EQ(loads(one + "bar.sync 0, 64;\n" + loop("L")), "v") << "not all threads";
    EXPECT_EQ(loads(one + "bar.sync 0;\n" + loop("L") + "bar.arrive 1, 64;\n"), "v") << "a barrier may count others";
    EXPECT_EQ(loads(one + "bar.sync 0;\nred.global.add.u32 [%rd2], 1;\n" + loop("L")), "v") << "a turn ends";
    EXPECT_EQ(loads(one + "bar.sync 0;\n" + loop("L") + "red.global.add.u32 [%rd2], 1;\n"), "u");
    EXPECT_EQ(loads(one + "bar.sync 0;\n" + loop("K") + "bar.warp.sync -1;\n" + loop("L")), "uv") << "some may wait";
    EXPECT_EQ(loads(loop("K") + one + loop("M") + "bar.sync 0;\n" + loop("L")), "uvu");
    const auto rounds = [&](const std::string& body) {
        return "R:\n" + body + "add.u32 %r11, %r11, 1; setp.lt.u32 %p4, %r11, %r7; @%p4 bra R;\n";
    };
    EXPECT_EQ(loads(rounds(loop("K") + one + "bar.sync 0;\n" + loop("L"))), "uu");
    EXPECT_EQ(loads(rounds(loop("K") + one + loop("M") + "bar.sync 0;\n" + loop("L")) + loop("N")), "uvuv")
        << "behind the loop lanes may be that have left it while others spin in it again";
    EXPECT_EQ(loads(rounds(loop("K") + one + loop("L"))), "vv");
    // Lanes that go round the barrier.
    EXPECT_EQ(
        loads(one + "setp.gt.u32 %p5, %r1, 40; @%p5 bra ROUND;\nbar.sync 0;\n" + loop("K") + "ROUND:\n" + loop("L")),
        "uv");
}

/// A comparison of a thread's number with an end of its warp's numbers is the same for all lanes.
TEST(Analyse, ComparisonsThatAreAlike) {
    const auto shape = [](const std::string& compare, BlockShape block = {256, 1, 1}, bool apart = false) {
        const auto f =
            lowered("ld.param.u64 %rd1, [a]; ld.param.u32 %r9, [n]; shl.b32 %r8, %r9, 5; mov.u32 %r1, %tid.x;\n" +
                    compare + "\nselp.b32 %r3, 1, 2, %p1; st.global.u32 [%rd1], %r3;");
        const auto shapes = analyse(f, block, false, apart);
        for (const auto& b : f.blocks)
            for (const auto& i : b.insts)
                if (i.kind == InstKind::data && i.ptx->op == ptx::Op::setp) return shapes.of[i.out[0]];
        return Shape::unknown;
    };
    for (const auto* alike : {"setp.lt.u32 %p1, %r1, 64;", "setp.ge.s32 %p1, %r1, 96;", "setp.gt.u32 %p1, %r1, 31;",
                              "setp.le.s32 %p1, %r1, 63;", "setp.gt.s32 %p1, %r1, -1;", "setp.lt.s32 %p1, %r1, -32;",
                              "setp.lt.u32 %p1, %r1, %r8;", "setp.gt.u32 %p1, %r8, %r1;", "setp.lt.u32 %p1, 31, %r1;",
                              "setp.ge.u32 %p1, 63, %r1;", "add.u32 %r1, %r1, 32; setp.lo.u32 %p1, %r1, 64;",
                              "shl.b32 %r1, %r1, 2; setp.lt.u32 %p1, %r1, 128;"})
        EXPECT_EQ(shape(alike), Shape::uniform) << alike;
    for (const auto* differs :
         {"setp.lt.u32 %p1, %r1, 63;", "setp.lt.u32 %p1, %r1, 16;", "setp.gt.u32 %p1, %r1, 32;",
          "setp.le.u32 %p1, %r1, 64;", "setp.eq.u32 %p1, %r1, 64;", "setp.lt.u32 %p1, %r1, %r9;",
          "setp.gt.u32 %p1, %r1, %r8;", "setp.lt.u32 %p1, %r8, %r1;", "setp.le.u32 %p1, %r1, -1;",
          "setp.le.s32 %p1, %r1, 2147483647;", "add.u32 %r1, %r1, 16; setp.lt.u32 %p1, %r1, 64;",
          "sub.u32 %r1, 256, %r1; setp.lt.u32 %p1, %r1, 64;", "shl.b32 %r1, %r1, 2; setp.lt.u32 %p1, %r1, 64;"})
        EXPECT_EQ(shape(differs), Shape::varying) << differs;
    EXPECT_EQ(shape("setp.lt.u32 %p1, %r1, 16;", {16, 16, 1}), Shape::uniform);
    EXPECT_EQ(shape("setp.lt.u32 %p1, %r1, 8;", {16, 16, 1}), Shape::varying);
    EXPECT_EQ(shape("setp.lt.u32 %p1, %r1, 64;", {100, 1, 1}), Shape::uniform);
    EXPECT_EQ(shape("setp.lt.u32 %p1, %r1, 64;", {256, 1, 1}, true), Shape::varying) << "predicted times keep to it";
}

/// Low bits are known of sums and products of whole numbers, not of high halves, of what saturates or was a float.
TEST(Analyse, AlignmentsAreOfLowBits) {
    const auto align = [](const std::string& body) {
        const auto f = lowered("ld.param.u64 %rd1, [a]; mov.u32 %r1, %ctaid.x; shl.b32 %r2, %r1, 5;\n" + body +
                                   "\nst.global.u32 [%rd1], %r3;",
                               "", ".param .u64 a");
        const auto shapes = analyse(f, {64, 1, 1});
        for (const auto& block : f.blocks)
            for (const auto& i : block.insts)
                if (i.kind == InstKind::store) return shapes.align[i.in[1].value];
        return std::uint64_t{0};
    };
    EXPECT_EQ(align("mul.lo.u32 %r3, %r2, %r1;"), 32u);
    EXPECT_EQ(align("add.u32 %r3, %r2, 64;"), 32u);
    EXPECT_EQ(align("mul.hi.u32 %r3, %r2, -1431655765;"), 1u);
    EXPECT_EQ(align("add.sat.s32 %r3, %r2, 32;"), 1u);
    EXPECT_EQ(align("cvt.rn.f32.u32 %f1, %r2; mul.f32 %f1, %f1, 0f3E99999A; cvt.rzi.u32.f32 %r3, %f1;"), 1u);
}

TEST(Analyse, DivergenceFollowsTheCondition) {
    auto any = [](const Shapes& s) { return std::count(s.divergent.begin(), s.divergent.end(), true); };
    EXPECT_EQ(any(analyse(lowered(kIf), {64, 1, 1})), 1);
    EXPECT_EQ(any(analyse(lowered(kLoop), {64, 1, 1})), 0);
    EXPECT_EQ(any(analyse(lowered(kBarrier), {64, 1, 1})), 0);
}

/// Block 0 splits lanes; `partial` as text, one letter a block.
std::string regions(const Function& f) {
    const auto shapes = analyse(f, {64, 1, 1, 32}, false);
    std::string text;
    for (bool p : partial_regions(f, shapes.divergent)) text += p ? 'p' : '-';
    return text;
}

TEST(Regions, OnlyBetweenASplitAndItsMeetingPoint) {
    // entry, the side, where the ways meet
    EXPECT_EQ(regions(lowered(kIf)), "-p-");
    EXPECT_EQ(regions(lowered(kLoop)), std::string(lowered(kLoop).blocks.size(), '-'))
        << "a uniform loop splits nobody";
}

TEST(Regions, LanesThatLeaveEarlyDoNotMakeTheRestPartial) {
    const auto kernel = [](unsigned length) {
        std::string body =
            "mov.u32 %r1, %tid.x;\nld.param.u32 %r2, [n];\nsetp.ge.u32 %p1, %r1, %r2;\n@%p1 bra OUT;\nld.param.u64 "
            "%rd1, [a];\n";
        for (unsigned k = 0; k < length; ++k) body += "ld.global.u32 %r2, [%rd1];\nst.global.u32 [%rd1+4], %r2;\n";
        return lowered(body + "OUT:");
    };
    EXPECT_EQ(regions(kernel(100)), "---") << print(kernel(100));
    EXPECT_EQ(regions(kernel(10)), "-p-") << "short enough to have both copies at once";
}

TEST(Regions, LoopsThatLanesLeaveOneByOneArePartial) {
    std::string body = "mov.u32 %r1, %tid.x;\nadd.u32 %r1, %r1, 1;\nld.param.u64 %rd1, [a];\nL:\n";
    for (unsigned k = 0; k < 100; ++k) body += "ld.global.u32 %r2, [%rd1];\nst.global.u32 [%rd1+4], %r2;\n";
    const auto text = regions(lowered(body + "sub.u32 %r1, %r1, 1;\nsetp.ne.u32 %p2, %r1, 0;\n@%p2 bra L;"));
    EXPECT_NE(text.find('p'), std::string::npos) << text;
}

/// The back edge of the outer loop leaves from the middle of the inner one, which may itself be nested so.
TEST(Order, ALoopMayGoBackFromInsideAnInnerLoop) {
    for (const char* inner :
         {"@%p1 bra OUTER;", "@%p1 bra OUTER;\n@%p2 bra OUTERMOST;", "@%p2 bra OUTERMOST;\n@%p1 bra OUTER;"}) {
        const auto f = lowered(std::string(R"(
ld.param.u64 %rd1, [a];
mov.u32 %r1, %tid.x;
mov.u32 %r2, 0;
OUTERMOST:
add.u32 %r2, %r2, 1;
OUTER:
add.u32 %r2, %r2, %r1;
INNER:
add.u32 %r2, %r2, 3;
st.global.u32 [%rd1], %r2;
setp.lt.u32 %p1, %r2, 100;
setp.lt.u32 %p2, %r2, 200;
setp.lt.u32 %p3, %r2, 300;
)") + inner + R"(
st.global.u32 [%rd1+4], %r2;
@%p3 bra INNER;
st.global.u32 [%rd1+8], %r2;)");
        EXPECT_FALSE(f.irreducible);
        ASSERT_GE(f.loops.size(), 2u);
        for (const auto& loop : f.loops) EXPECT_EQ(loop.latch, loop.blocks.back());
    }
}

}  // namespace graph_test
