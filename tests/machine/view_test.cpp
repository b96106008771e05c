// What small kernels become in the machine view: which PTX instructions are joined, dropped or expanded, and in which
// order they are issued.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <stdexcept>

#include "machine/view.hpp"
#include "ptx/parser.hpp"
#include "simt/passes.hpp"

namespace warpwright::machine {
namespace view_test {

Code view(const std::string& body) {
    static std::vector<std::unique_ptr<ptx::Module>> modules;
    auto parsed = ptx::parse(
        ".version 8.0\n.target sm_90\n.address_size 64\n.const .align 8 .b8 c[256];\n"
        ".visible .entry k(.param .u64 a, .param .u32 n)\n{\n"
        ".reg .pred %p<8>;\n.reg .b32 %r<32>;\n.reg .b64 %rd<16>;\n.reg .f32 %f<16>;\n.shared .align 4 .b8 s[128];\n"
        "ld.param.u64 %rd1, [a];\nld.param.u32 %r1, [n];\nmov.u32 %r2, %tid.x;\n" +
            body + "\nret;\n}\n",
        "test.ptx");
    if (!parsed) throw std::runtime_error(parsed.error().text());
    modules.push_back(std::make_unique<ptx::Module>(std::move(*parsed)));
    auto f = simt::lower(*modules.back(), 0);
    if (!f) throw std::runtime_error(f.error().text());
    Code code;
    append(code, *f);
    return code;
}

unsigned count(const Code& code, Pipe pipe) {
    unsigned n = 0;
    for (const auto& b : code.blocks)
        for (const auto& op : b.ops) n += op.pipe == pipe ? op.issues : 0;
    return n;
}

TEST(MachineView, AddressOfAnElementIsOneMultiplyAdd) {
    const auto code = view(
        "mul.wide.u32 %rd2, %r2, 4;\nadd.s64 %rd3, %rd1, %rd2;\nld.global.f32 %f1, [%rd3];\nst.global.f32 "
        "[%rd3+4], %f1;");
    EXPECT_EQ(count(code, Pipe::multiply), 1u);
    EXPECT_EQ(count(code, Pipe::add), 0u);
    EXPECT_EQ(count(code, Pipe::memory), 2u);
}

TEST(MachineView, ConstantsAreAddedByTheAccess) {
    const auto code = view("add.s64 %rd2, %rd1, 16;\nld.global.f32 %f1, [%rd2];\nst.global.f32 [%rd1], %f1;");
    EXPECT_EQ(count(code, Pipe::add), 0u);
}

TEST(MachineView, AFragmentTakesALoadForEachWordOrElement) {
    const auto loads = [](const std::string& operand, const std::string& registers) {
        return count(view("wmma.load." + operand + " {" + registers + "}, [%rd1];"), Pipe::memory);
    };
    const std::string eight = "%r10,%r11,%r12,%r13,%r14,%r15,%r16,%r17", four = "%r10,%r11,%r12,%r13";
    EXPECT_EQ(loads("a.sync.aligned.row.m16n16k16.global.f16", eight), 4u) << "registers hold each word twice";
    EXPECT_EQ(loads("b.sync.aligned.row.m16n16k16.global.f16", eight), 8u) << "halves of two rows";
    EXPECT_EQ(loads("b.sync.aligned.col.m16n16k16.global.bf16", four), 4u);
    EXPECT_EQ(loads("a.sync.aligned.col.m16n16k16.global.bf16", four), 8u);
}

TEST(MachineView, AProductHasTheWorkOfItsShape) {
    const auto products = [](const std::string& body) {
        std::vector<Op> out;
        for (const auto& b : view(body).blocks)
            for (const auto& op : b.ops)
                if (op.pipe == Pipe::tensor) out.push_back(op);
        return out;
    };
    const auto mma = products(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%f1,%f2,%f3,%f4}, {%r1,%r2,%r1,%r2}, {%r1,%r2}, "
        "{%f5,%f6,%f7,%f8};\nst.global.f32 [%rd1], %f1;");
    ASSERT_EQ(mma.size(), 1u);
    EXPECT_EQ(mma[0].flops, 2 * 16 * 8 * 16);
    EXPECT_EQ(mma[0].matrix, MatrixType::bf16);
    const auto wgmma = products(
        "wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e4m3 {%f1,%f2,%f3,%f4}, %rd1, %rd1, 1, 1, 1;\n"
        "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 1;\nst.global.f32 [%rd1], %f1;");
    ASSERT_EQ(wgmma.size(), 1u);
    EXPECT_EQ(wgmma[0].flops, 2 * 64 * 8 * 32 / 4) << "a warp of four";
    EXPECT_EQ(wgmma[0].matrix, MatrixType::fp8);
    EXPECT_EQ(wgmma[0].operand_bytes, 32 * (64 + 8)) << "A and B, which the four read together";
}

TEST(MachineView, WaitsSayHowManyGroupsMayBeUnderWay) {
    const auto code = view(
        "cp.async.commit_group;\ncp.async.wait_group 2;\ncp.async.bulk.commit_group;\n"
        "cp.async.bulk.wait_group.read 3;\nst.global.u32 [%rd1], %r1;");
    std::vector<std::pair<Effect, unsigned>> found;
    for (const auto& b : code.blocks)
        for (const auto& op : b.ops)
            if (op.effect != Effect::none && op.effect != Effect::store) found.push_back({op.effect, op.pending});
    EXPECT_EQ(found,
              (std::vector<std::pair<Effect, unsigned>>{
                  {Effect::copy_group, 0}, {Effect::copy_wait, 2}, {Effect::bulk_group, 0}, {Effect::bulk_wait, 3}}));
}

TEST(MachineView, WordsOfSharedMemorySideBySideAreLoadedTogether) {
    const auto loads = [](const std::string& step, const std::string& between = "") {
        const auto code =
            view("mov.u32 %r3, s;\nshl.b32 %r4, %r2, " + step +
                 ";\nadd.u32 %r5, %r3, %r4;\nld.shared.f32 %f1, [%r5];\nld.shared.f32 %f2, [%r5+4];\n" + between +
                 "ld.shared.f32 %f3, [%r5+8];\nld.shared.f32 %f4, [%r5+12];\nadd.f32 %f5, %f1, %f2;\n"
                 "add.f32 %f6, %f3, %f4;\nadd.f32 %f7, %f5, %f6;\nst.global.f32 [%rd1], %f7;");
        std::vector<unsigned> bytes;
        for (const auto& b : code.blocks)
            for (const auto& op : b.ops)
                if (op.effect == Effect::load) bytes.push_back(op.bytes);
        return bytes;
    };
    EXPECT_EQ(loads("4"), std::vector<unsigned>{16});
    EXPECT_EQ(loads("3"), (std::vector<unsigned>{8, 8}));
    EXPECT_EQ(loads("2"), (std::vector<unsigned>{4, 4, 4, 4})) << "an address that is a multiple of 4 alone";
    EXPECT_EQ(loads("4", "st.shared.u32 [%r5+8], %r1;\n"), (std::vector<unsigned>{8, 8})) << "a store between them";
    const auto sorted = [&](const std::string& between) {
        auto bytes = loads("4", between);
        std::sort(bytes.begin(), bytes.end());
        return bytes;
    };
    EXPECT_EQ(sorted("ld.acquire.cta.shared.u32 %r6, [%r5+64];\n"), (std::vector<unsigned>{4, 8, 8}))
        << "nothing moves before a load that acquires";
    EXPECT_EQ(sorted("ld.relaxed.cta.shared.u32 %r6, [%r5+16];\n"), (std::vector<unsigned>{4, 16}))
        << "a strong load stays by itself";
}

/// Bytes of each load of a loop that reads four words per turn; its pointer moves by `step` and begins `from`
/// bytes behind the array, of which the loads take the word there and the three before it.
std::vector<unsigned> loads_of_loop(int from, int step) {
    const auto code = view("mov.u32 %r3, s;\nadd.u32 %r3, %r3, " + std::to_string(from) +
                           ";\nmov.u32 %r4, 0;\nL:\nadd.u32 %r5, %r3, %r4;\nld.shared.f32 %f1, [%r5+-12];\n"
                           "ld.shared.f32 %f2, [%r5+-8];\nld.shared.f32 %f3, [%r5+-4];\nld.shared.f32 %f4, [%r5];\n"
                           "add.f32 %f5, %f1, %f2;\nadd.f32 %f6, %f3, %f4;\nadd.f32 %f7, %f5, %f6;\n"
                           "st.global.f32 [%rd1], %f7;\nadd.u32 %r4, %r4, " +
                           std::to_string(step) + ";\nsetp.ne.u32 %p1, %r4, %r1;\n@%p1 bra L;");
    std::vector<unsigned> bytes;
    for (const auto& b : code.blocks)
        for (const auto& op : b.ops)
            if (op.effect == Effect::load) bytes.push_back(op.bytes);
    return bytes;
}

TEST(MachineView, APointerBehindItsWordsLeavesThemTogether) {
    EXPECT_EQ(loads_of_loop(12, 16), std::vector<unsigned>{16});
    EXPECT_EQ(loads_of_loop(12, 8), (std::vector<unsigned>{8, 8})) << "each second turn is 8 bytes off";
    EXPECT_EQ(loads_of_loop(8, 16), (std::vector<unsigned>{4, 8, 4})) << "one word before, and one behind";
    EXPECT_EQ(loads_of_loop(12, 4), (std::vector<unsigned>{4, 4, 4, 4}));
}

/// Issue slots of loads of constants, beside those of the parameters: in the queue of the load/store unit, elsewhere.
std::pair<unsigned, unsigned> constants(const Code& code) {
    std::pair<unsigned, unsigned> n;
    for (const auto& b : code.blocks)
        for (const auto& op : b.ops)
            if (op.space == ptx::Space::constant && op.access >= 0)
                (op.pipe == Pipe::exchange ? n.first : n.second) += op.issues;
    return n;
}

TEST(MachineView, ConstantsThatAllLanesShareAreOperands) {
    using Slots = std::pair<unsigned, unsigned>;
    const std::string use = "fma.rn.f32 %f3, %f1, %f2, %f3;\nst.global.f32 [%rd1], %f3;";
    EXPECT_EQ(constants(view("ld.const.f32 %f1, [c];\nld.const.f32 %f2, [c+4];\n" + use)), (Slots{0, 1}))
        << "two words of 8 aligned bytes are one";
    EXPECT_EQ(constants(view("ld.const.f32 %f1, [c+4];\nld.const.f32 %f2, [c+8];\n" + use)), (Slots{0, 2}));
    const auto at = [&](const std::string& index) {
        return constants(view("mul.wide.u32 %rd2, " + index + ", 4;\nmov.u64 %rd3, c;\nadd.s64 %rd4, %rd3, %rd2;\n" +
                              "ld.const.f32 %f1, [%rd4];\nmov.f32 %f2, %f1;\n" + use));
    };
    EXPECT_EQ(at("%r1"), (Slots{0, 1})) << "a parameter is the same in all lanes";
    EXPECT_EQ(at("%r2"), (Slots{1, 0})) << "lanes read at places of their own";
}

TEST(MachineView, InALoopThatLanesLeaveAtDifferentTimesAConstantIsLoaded) {
    const auto loop = [](const std::string& end) {
        return constants(
            view("mov.u64 %rd3, c;\nmov.u32 %r3, 0;\nmov.f32 %f3, 0f00000000;\nL: ld.const.f32 %f1, [%rd3];\n"
                 "fma.rn.f32 %f3, %f1, %f1, %f3;\nadd.s64 %rd3, %rd3, 4;\nadd.u32 %r3, %r3, 1;\n"
                 "setp.lt.u32 %p1, %r3, " +
                 end + ";\n@%p1 bra L;\nst.global.f32 [%rd1], %f3;"));
    };
    EXPECT_EQ(loop("%r1").first, 0u);
    EXPECT_GT(loop("%r2").first, 0u);
    EXPECT_EQ(loop("%r2").second, 0u);
}

TEST(MachineView, ProductsWithOtherReadersStay) {
    const auto code = view("mul.wide.u32 %rd2, %r2, 4;\nadd.s64 %rd3, %rd1, %rd2;\nst.global.u64 [%rd3], %rd2;");
    EXPECT_EQ(count(code, Pipe::multiply), 2u);
}

TEST(MachineView, ThreeInputs) {
    const auto sum = view("add.s32 %r3, %r2, %r1;\nadd.s32 %r4, %r3, 7;\nst.global.u32 [%rd1], %r4;");
    EXPECT_EQ(count(sum, Pipe::add) + count(sum, Pipe::alu), 1u);
    const auto logic = view("and.b32 %r3, %r2, %r1;\nxor.b32 %r4, %r3, 5;\nst.global.u32 [%rd1], %r4;");
    EXPECT_EQ(count(logic, Pipe::alu), 1u);
    const auto kept =
        view("and.b32 %r3, %r2, %r1;\nxor.b32 %r4, %r3, 5;\nst.global.u32 [%rd1], %r4;\nst.global.u32 [%rd1+4], %r3;");
    EXPECT_EQ(count(kept, Pipe::alu), 2u);  // what is read twice is computed
}

TEST(MachineView, DivisionIsASequence) {
    const auto code = view("div.u32 %r3, %r2, %r1;\nst.global.u32 [%rd1], %r3;");
    EXPECT_GT(count(code, Pipe::multiply), 10u);
}

TEST(MachineView, StoresSideBySideBecomeOne) {
    const auto stores = [](const std::string& body) {
        std::vector<unsigned> out;
        const auto code = view("shl.b32 %r9, %r2, 5;\nmov.u32 %r8, s;\nadd.s32 %r7, %r8, %r9;\n" + body);
        for (const auto& op : code.blocks[0].ops)
            if (op.effect == Effect::store && op.space == simt::Space::shared) out.push_back(op.bytes);
        return out;
    };
    const auto store = [](int at) { return "st.shared.u32 [%r7+" + std::to_string(at) + "], %r2;\n"; };
    const std::string four = store(0) + store(4) + store(8) + store(12);
    EXPECT_EQ(stores(four), std::vector<unsigned>{16});
    EXPECT_EQ(stores(store(4) + store(8) + store(12) + store(16)), (std::vector<unsigned>{4, 8, 4})) << "not aligned";
    const std::string global = "ld.global.u32 %r4, [%rd1];\n",
                      shared = "ld.shared.u32 %r4, [%r8];\nst.global.u32 [%rd1], %r4;\n";
    EXPECT_EQ(stores(store(0) + store(4) + global + store(8) + store(12)), std::vector<unsigned>{16});
    EXPECT_EQ(stores(store(0) + store(4) + shared + store(8) + store(12)), (std::vector<unsigned>{8, 8}));
}

TEST(MachineView, WhatFollowsFromADivisorIsComputedOnce) {
    const std::string store = "st.global.u32 [%rd1], %r3;\nst.global.u32 [%rd1+4], %r4;";
    const auto divisions = [](const Code& code) {
        std::vector<unsigned> out;
        for (const auto& b : code.blocks)
            for (const auto& op : b.ops)
                if (op.issues > 7) out.push_back(op.issues);
        return out;
    };
    const std::vector<unsigned> again{17, 9}, other{17, 17};
    EXPECT_EQ(divisions(view("div.u32 %r3, %r2, %r1;\nrem.u32 %r4, %r3, %r1;\n" + store)), again);
    EXPECT_EQ(divisions(view("div.u32 %r3, %r2, %r1;\nrem.u32 %r4, %r1, %r3;\n" + store)), other);
    // In a loop that does not change the divisor, and in one that does.
    const auto loop = [](const std::string& divisor) {
        return view("mov.u32 %r5, 1;\nmov.u32 %r6, 0;\nT:\nmul.lo.u32 %r5, %r5, 3;\nrem.u32 %r3, %r2, " + divisor +
                    ";\nadd.u32 %r6, %r6, %r3;\nsetp.lt.u32 %p1, %r6, %r1;\n@%p1 bra T;\nst.global.u32 [%rd1], %r6;");
    };
    EXPECT_EQ(divisions(loop("%r1")), std::vector<unsigned>{9});
    EXPECT_EQ(divisions(loop("%r5")), std::vector<unsigned>{17});
}

TEST(MachineView, WhatScalesDenormalsTakesNoTurnOfTheSpecialUnit) {
    const auto code = view("ex2.approx.f32 %f2, %f1;\nst.global.f32 [%rd1], %f2;");
    EXPECT_EQ(count(code, Pipe::special), 0u);
    const auto& ops = code.blocks[0].ops;
    const auto one = std::find_if(ops.begin(), ops.end(), [](const Op& op) { return op.special > 0; });
    ASSERT_NE(one, ops.end());
    EXPECT_EQ(one->special, 1);
    EXPECT_EQ(one->issues, 4);
    EXPECT_EQ(count(view("ex2.approx.ftz.f32 %f2, %f1;\nst.global.f32 [%rd1], %f2;"), Pipe::special), 1u);
}

TEST(MachineView, LoadsAreIssuedBeforeWhatReadsThem) {
    const auto code = view(
        "ld.global.f32 %f1, [%rd1];\nadd.f32 %f2, %f1, %f1;\nld.global.f32 %f3, [%rd1+4];\nadd.f32 %f4, %f3, %f2;\n"
        "st.global.f32 [%rd1+8], %f4;");
    const auto& ops = code.blocks[0].ops;
    std::size_t last_load = 0, first_sum = ops.size();
    for (std::size_t k = 0; k < ops.size(); ++k) {
        if (ops[k].effect == Effect::load) last_load = k;
        if (ops[k].pipe == Pipe::fp32) first_sum = std::min(first_sum, k);
    }
    EXPECT_LT(last_load, first_sum);
}

TEST(MachineView, LoadsStayBehindStoresToTheSameMemory) {
    const auto code = view("st.shared.f32 [s], %f1;\nld.shared.f32 %f2, [s+4];\nst.global.f32 [%rd1], %f2;");
    std::vector<Effect> effects;
    for (const auto& op : code.blocks[0].ops)
        if (op.effect != Effect::none) effects.push_back(op.effect);
    EXPECT_EQ(effects, (std::vector{Effect::store, Effect::load, Effect::store}));
}

TEST(MachineView, AccessesKeepTheirPlaceInTheProgram) {
    // The trace tells of accesses in the order of the program, whatever the order of issue.
    const auto code = view(
        "ld.global.f32 %f1, [%rd1];\nld.shared.f32 %f2, [s];\nadd.f32 %f3, %f1, %f2;\n"
        "st.global.f32 [%rd1], %f3;");
    EXPECT_EQ(code.blocks[0].accesses, 3u);
    for (const auto& op : code.blocks[0].ops)
        if (op.effect == Effect::load) {
            EXPECT_EQ(op.access, op.space == ptx::Space::shared ? 1 : 0);
        }
}

TEST(MachineView, NothingIsMovedAcrossASlowPath) {
    const auto code = view(
        "ld.shared.f32 %f1, [s];\ndiv.rn.f32 %f2, %f1, %f1;\nld.shared.f32 %f3, [s+4];\nadd.f32 %f4, %f3, %f2;\n"
        "st.global.f32 [%rd1], %f4;");
    std::size_t division = 0, last_load = 0;
    const auto& ops = code.blocks[0].ops;
    for (std::size_t k = 0; k < ops.size(); ++k) {
        if (ops[k].splits) division = k;
        if (ops[k].effect == Effect::load) last_load = k;
    }
    EXPECT_GT(last_load, division);
}

TEST(MachineView, ABranchReadsItsPredicateAsAGuard) {
    const auto code =
        view("L:\nadd.u32 %r2, %r2, 1;\nsetp.ne.u32 %p1, %r2, %r1;\n@%p1 bra L;\nst.global.u32 [%rd1], %r2;");
    bool guard = false;
    for (const auto& b : code.blocks)
        for (const auto& op : b.ops)
            for (const auto use : op.uses) guard |= op.pipe == Pipe::branch && use == Use::guard;
    EXPECT_TRUE(guard);
}

TEST(MachineView, LoopValuesComeFromTheBlockBefore) {
    const auto code = view(
        "mov.f32 %f1, 0f00000000;\nL:\nadd.f32 %f1, %f1, 0f3f800000;\nsub.u32 %r1, %r1, 1;\nsetp.ne.u32 %p1, %r1, "
        "0;\n@%p1 bra L;\nst.global.f32 [%rd1], %f1;");
    bool loop = false;
    for (std::uint32_t b = 0; b < code.blocks.size(); ++b)
        for (const auto& phi : code.blocks[b].phis)
            for (const auto& [from, value] : phi.in) loop |= from == b && value != phi.out;
    EXPECT_TRUE(loop);
}

/// A loop that counts in %r3, from 0 up to n unless told otherwise, before `body`.
Code loop(const std::string& body, const std::string& step = "add.s32 %r3, %r3, 1;",
          const std::string& compare = "setp.lt.s32 %p1, %r3, %r1;") {
    return view("mov.u32 %r3, 0;\nmov.f32 %f1, 0f3f800000;\nL:\n" + body + "\n" + step + "\n" + compare +
                "\n@%p1 bra L;\nst.global.f32 [%rd1], %f1;");
}

const std::string kProduct = "fma.rn.f32 %f1, %f1, %f1, %f1;\n";

unsigned count(const Unrolled& u, Pipe pipe) {
    unsigned n = 0;
    for (const auto& op : u.body.ops) n += op.pipe == pipe ? op.issues : 0;
    return n;
}

TEST(MachineView, ASmallLoopThatCountsIsWrittenFourTimes) {
    const auto code = loop(kProduct);
    ASSERT_EQ(code.unrolled.size(), 1u);
    const auto& u = code.unrolled[0];
    EXPECT_EQ(u.turns, 4u);
    EXPECT_EQ(count(u, Pipe::fp32), 4u);
    EXPECT_EQ(count(u, Pipe::add), 1u);
    EXPECT_EQ(count(u, Pipe::alu), 1u);
    EXPECT_EQ(count(u, Pipe::branch), 1u);
    // The products are a chain: each reads what the one before has made.
    std::uint32_t before = 0;
    for (const auto& op : u.body.ops)
        if (op.pipe == Pipe::fp32) {
            if (before) {
                EXPECT_EQ(op.in, (std::vector<std::uint32_t>{before}));
            }
            before = op.out.at(0);
        }
}

TEST(MachineView, WhatIsLeftOfALoopReadsTheLastTurn) {
    const auto code = loop(kProduct);
    std::uint32_t stored = 0;
    for (const auto& b : code.blocks)
        for (const auto& op : b.ops)
            if (op.effect == Effect::store) stored = op.in.back();
    bool made = false;
    for (const auto& op : code.unrolled.at(0).body.ops)
        for (auto v : op.out) made |= v == stored;
    EXPECT_TRUE(made);
}

TEST(MachineView, TurnsNumberTheirAccessesBehindEachOther) {
    const auto code = loop("ld.global.f32 %f2, [%rd1];\nadd.f32 %f1, %f1, %f2;\nadd.s64 %rd1, %rd1, 128;");
    ASSERT_EQ(code.unrolled.size(), 1u);
    std::vector<int> accesses;
    unsigned moved = 0;
    for (const auto& op : code.unrolled[0].body.ops) {
        if (op.effect == Effect::load) accesses.push_back(op.access);
        moved += op.ptx && op.ptx->op == ptx::Op::add && ptx::bits(op.ptx->type()) == 64;
    }
    EXPECT_EQ(accesses, (std::vector{0, 2, 4, 6}));
    EXPECT_EQ(moved, 1u) << "accesses add constants themselves";
}

/// How many loads of four words, each under a predicate or not, are issued before anything reads one of them: of eight
/// in a loop that adds them to `held` sums.
unsigned loads_at_once(unsigned held, bool guarded) {
    std::string text = ".reg .f32 %s<64>;\n.reg .f32 %v<40>;\n.reg .pred %g<9>;\nmov.u32 %r3, 0;\n";
    const auto number = [](unsigned n) { return std::to_string(n); };
    for (unsigned k = 0; k < held; ++k) text += "mov.f32 %s" + number(k) + ", 0f00000000;\n";
    text += "L:\n.pragma \"nounroll\";\n";
    for (unsigned k = 0; k < 8; ++k) {
        if (guarded) text += "setp.lt.s32 %g" + number(k) + ", %r3, " + number(100 * k) + ";\n@%g" + number(k) + " ";
        text += "ld.global.v4.f32 {%v" + number(4 * k) + ", %v" + number(4 * k + 1) + ", %v" + number(4 * k + 2) +
                ", %v" + number(4 * k + 3) + "}, [%rd1+" + number(4096 * k) + "];\n";
    }
    for (unsigned k = 0; k < 32; ++k) {
        const auto sum = "%s" + number(k % held);
        text += "add.f32 " + sum + ", " + sum + ", %v" + number(k) + ";\n";
    }
    text += "add.s32 %r3, %r3, 1;\nadd.s64 %rd1, %rd1, 512;\nsetp.lt.s32 %p1, %r3, %r1;\n@%p1 bra L;\n";
    for (unsigned k = 0; k < held; ++k) text += "st.global.f32 [%rd1+" + number(4 * k) + "], %s" + number(k) + ";\n";
    const auto code = view(text);
    const auto* ops = &code.blocks[0].ops;
    const auto is_load = [](const Op& op) { return op.effect == Effect::load; };
    for (const auto& b : code.blocks)
        if (std::count_if(b.ops.begin(), b.ops.end(), is_load) == 8) ops = &b.ops;
    for (const auto& r : code.regions) ops = &r.body.ops;
    unsigned loads = 0;
    for (const auto& op : *ops) {
        loads += is_load(op);
        if (op.pipe == Pipe::fp32) break;
    }
    return loads;
}

TEST(MachineView, LoadsComeAsEarlyAsRegistersAllow) {
    EXPECT_EQ(loads_at_once(2, false), 6u) << "24 of 32 registers";
    EXPECT_EQ(loads_at_once(20, false), 4u) << "at least";
    EXPECT_EQ(loads_at_once(20, true), 2u) << "of those under a predicate two";
}

TEST(MachineView, LoopsThatStayAsTheyAre) {
    const auto turns = [](const Code& code) { return code.unrolled.size(); };
    std::string many;
    for (int k = 0; k < 24; ++k) many += kProduct;
    EXPECT_EQ(turns(loop(many)), 0u) << "large";
    EXPECT_EQ(turns(loop(".pragma \"nounroll\";\n" + kProduct)), 0u) << "by the program's wish";
    EXPECT_EQ(turns(loop("div.rn.f32 %f1, %f1, %f1;")), 0u) << "a slow path";
    EXPECT_EQ(turns(loop(kProduct, "shl.b32 %r3, %r3, 1;")), 0u) << "does not count by a constant";
    EXPECT_EQ(turns(loop(kProduct, "add.s32 %r3, %r3, %r2;")), 0u) << "the step is not known";
    EXPECT_EQ(turns(loop(kProduct, "add.s32 %r3, %r3, 1;", "setp.lt.f32 %p1, %f1, 0f7f800000;")), 0u)
        << "ends by a number";
    EXPECT_EQ(turns(loop(kProduct, "add.s32 %r3, %r3, 1; mul.lo.s32 %r1, %r1, 3;")), 0u) << "the end moves";
}

}  // namespace view_test
}  // namespace warpwright::machine
