// What is spilled where registers do not suffice: chosen by next use, stored once, loaded before it is read again.
#include "machine/spill.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "machine/registers.hpp"
#include "ptx/parser.hpp"
#include "simt/passes.hpp"

namespace warpwright::machine {
namespace spill_test {

/// The machine view of a kernel, and what it spills.
struct View {
    Code code;
    Spills spills;

    View(const std::string& body, unsigned most, const std::optional<Spills>& told = std::nullopt) {
        auto parsed = ptx::parse(
            ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a)\n"
            ".maxnreg " +
                std::to_string(most) +
                "\n{\n.reg .pred %p<4>;\n.reg .b32 %r<8>;\n"
                ".reg .b64 %rd<8>;\n.reg .f32 %f<200>;\nld.param.u64 %rd1, [a];\n" +
                body + "\nret;\n}\n",
            "test.ptx");
        if (!parsed) throw std::runtime_error(parsed.error().text());
        auto f = simt::lower(*parsed, 0);
        if (!f) throw std::runtime_error(f.error().text());
        spills = append_within_registers(code, *f, told);
    }

    /// Stores or loads of spilled values, in all blocks and in one.
    std::ptrdiff_t count(Effect effect) const {
        std::ptrdiff_t all = 0;
        for (std::size_t b = 0; b < code.blocks.size(); ++b) all += count(b, effect);
        return all;
    }
    std::ptrdiff_t count(std::size_t block, Effect effect) const {
        const auto& ops = code.blocks[block].ops;
        return std::count_if(ops.begin(), ops.end(),
                             [&](const Op& op) { return op.spill >= 0 && op.effect == effect; });
    }
};

std::string n(unsigned k) { return std::to_string(k); }

/// Loads `count` numbers and writes each of them after the last load.
std::string many(unsigned count) {
    std::string text;
    for (unsigned k = 0; k < count; ++k) text += "ld.global.f32 %f" + n(k) + ", [%rd1+" + n(4 * k) + "];\n";
    text += "bar.sync 0;\n";
    for (unsigned k = 0; k < count; ++k) text += "st.global.f32 [%rd1+" + n(1024 + 4 * k) + "], %f" + n(k) + ";\n";
    return text;
}

TEST(Spill, NothingWhereRegistersSuffice) {
    const View view(many(40), 64);
    EXPECT_EQ(view.spills.stores + view.spills.loads + view.spills.frame, 0u);
    EXPECT_EQ(view.count(0, Effect::store), 0);
}

TEST(Spill, WhatFindsNoRegisterIsStoredAndLoadedOnce) {
    const View view(many(60), 32);
    // 28 of the 60 numbers have registers.
    EXPECT_EQ(view.count(Effect::store), 32);
    EXPECT_EQ(view.count(Effect::load), 32);
    EXPECT_EQ(view.spills.stores, 128u);
    EXPECT_EQ(view.spills.loads, 128u);
    EXPECT_EQ(view.spills.frame, 128u);
}

TEST(Spill, WhatIsReadLatestGivesUpItsRegister) {
    // %f0 is read at once and often, the others at the end.
    std::string text = "ld.global.f32 %f0, [%rd1];\n";
    for (unsigned k = 1; k < 50; ++k)
        text += "ld.global.f32 %f" + n(k) + ", [%rd1+" + n(4 * k) + "];\nadd.f32 %f0, %f0, %f0;\n";
    for (unsigned k = 0; k < 50; ++k) text += "st.global.f32 [%rd1+" + n(1024 + 4 * k) + "], %f" + n(k) + ";\n";
    const View view(text, 32);
    EXPECT_GT(view.count(Effect::load), 0);
    // The chain of additions stays in its register.
    for (const Block& block : view.code.blocks)
        for (const Op& sum : block.ops)
            if (sum.pipe == Pipe::fp32)
                for (const Op& op : block.ops)
                    if (op.spill >= 0) {
                        EXPECT_NE(op.in[0], sum.out.at(0));
                        EXPECT_NE(op.out[0], sum.out.at(0));
                    }
}

TEST(Spill, ALoopKeepsWhatItReads) {
    // 40 numbers are live across a loop that reads two others.
    std::string text;
    for (unsigned k = 0; k < 40; ++k) text += "ld.global.f32 %f" + n(k) + ", [%rd1+" + n(4 * k) + "];\n";
    text +=
        "ld.global.f32 %f100, [%rd1+800];\nmov.f32 %f101, 0f00000000;\nmov.u32 %r1, 0;\n"
        "L: fma.rn.f32 %f101, %f101, %f100, %f100;\nadd.u32 %r1, %r1, 1;\nld.global.u32 %r2, [%rd1+900];\n"
        "setp.lt.u32 %p1, %r1, %r2;\n@%p1 bra L;\nst.global.f32 [%rd1], %f101;\n";
    for (unsigned k = 0; k < 40; ++k) text += "st.global.f32 [%rd1+" + n(1024 + 4 * k) + "], %f" + n(k) + ";\n";
    const View view(text, 32);
    ASSERT_GE(view.code.blocks.size(), 3u);
    EXPECT_GT(view.spills.loads, 0u);
    for (std::size_t b = 0; b < view.code.blocks.size(); ++b) {
        const auto& ops = view.code.blocks[b].ops;
        const bool loop =
            std::any_of(ops.begin(), ops.end(), [](const Op& op) { return op.ptx && op.ptx->op == ptx::Op::fma; });
        if (loop) {
            EXPECT_EQ(view.count(b, Effect::load) + view.count(b, Effect::store), 0) << "the loop needs five registers";
        }
    }
}

TEST(Spill, WhatAnAssemblerSpillsDecides) {
    // We would spill 32 numbers in 32 registers, and none in 64.
    const View none(many(60), 32, Spills{});
    EXPECT_EQ(none.count(Effect::store) + none.count(Effect::load), 0);
    const View more(many(40), 64, Spills{40, 40, 40});
    EXPECT_EQ(more.spills.stores, 40u);
    EXPECT_EQ(more.spills.loads, 40u);
    const View fewer(many(60), 32, Spills{20, 20, 20});
    EXPECT_EQ(fewer.count(Effect::store), 5);
    EXPECT_EQ(fewer.count(Effect::load), 5);
    // Of what we cannot spill, we spill what we can.
    const View all(many(10), 64, Spills{4000, 4000, 4000});
    EXPECT_GT(all.count(Effect::load), 0);
}

TEST(Spill, ReadersOfALoadedValueWaitForIt) {
    const View view(many(60), 32);
    for (const Op& op : view.code.blocks[0].ops)
        if (op.spill >= 0) {
            EXPECT_EQ(op.bytes, 4u);
            EXPECT_EQ(op.space, ptx::Space::local);
            ASSERT_EQ(op.in.size(), 1u);
            ASSERT_EQ(op.out.size(), 1u);
        }
    EXPECT_GT(view.code.values, 0u);
}

}  // namespace spill_test
}  // namespace warpwright::machine
