// Registers of small kernels: what is live at once, and what launch bounds leave.
#include <gtest/gtest.h>

#include <stdexcept>

#include "machine/registers.hpp"
#include "ptx/parser.hpp"
#include "simt/passes.hpp"

namespace warpwright::machine {
namespace registers_test {

unsigned registers_of(const std::string& body, const std::string& directives = {}) {
    auto parsed =
        ptx::parse(".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a)\n" + directives +
                       "\n{\n.reg .b32 %r<8>;\n.reg .b64 %rd<8>;\n.reg .f32 %f<200>;\n.reg .f64 %fd<8>;\n"
                       "ld.param.u64 %rd1, [a];\n" +
                       body + "\nret;\n}\n",
                   "test.ptx");
    if (!parsed) throw std::runtime_error(parsed.error().text());
    auto f = simt::lower(*parsed, 0);
    if (!f) throw std::runtime_error(f.error().text());
    return registers(*f);
}

/// Loads `n` numbers, does something else, and writes each of them after that.
std::string across(unsigned n, const std::string& something) {
    std::string text;
    for (unsigned k = 0; k < n; ++k)
        text += "ld.global.f32 %f" + std::to_string(k) + ", [%rd1+" + std::to_string(4 * k) + "];\n";
    text += "bar.sync 0;\n" + something + "bar.sync 0;\n";
    for (unsigned k = 0; k < n; ++k)
        text += "st.global.f32 [%rd1+" + std::to_string(1024 + 4 * k) + "], %f" + std::to_string(k) + ";\n";
    return text;
}
std::string many(unsigned n) { return across(n, ""); }

TEST(Registers, SmallKernelsHaveTheFewest) {
    EXPECT_EQ(registers_of("mov.u32 %r1, %tid.x;\nst.global.u32 [%rd1], %r1;"), 16u);
}

TEST(Registers, WhatIsLiveAtOnceCounts) {
    const unsigned sixty = registers_of(many(60)), hundred = registers_of(many(100));
    EXPECT_GE(sixty, 60u);
    EXPECT_LE(sixty, 72u);
    EXPECT_GE(hundred, 100u);
    EXPECT_LE(hundred, 128u);
}

TEST(Registers, AnAddressAmongTheParametersIsOnePair) {
    // Loaded once, whatever the number of accesses by it.
    EXPECT_EQ(registers_of(many(60)), 72u);
    EXPECT_EQ(registers_of(many(64)), 72u);
    EXPECT_EQ(registers_of(many(67)), 80u);
}

TEST(Registers, WordsThatArePairedWithAnAddressTakeOddRegisters) {
    // Two for each word, as far as warps do not pay for it. ptxas 13.0 for 9.0: 18, 26, 32, 40, 48, 56.
    EXPECT_NEAR(registers_of(many(6)), 18, 1);
    EXPECT_NEAR(registers_of(many(10)), 26, 1);
    EXPECT_EQ(registers_of(many(20)), 32u);
    EXPECT_EQ(registers_of(many(30)), 40u);
    EXPECT_EQ(registers_of(many(40)), 48u);
    EXPECT_EQ(registers_of(many(48)), 56u);
}

TEST(Registers, ASlowPathTakesRegistersBesideWhatLivesAcrossIt) {
    const std::string begin = "mov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 256;\nadd.s64 %rd1, %rd1, %rd2;\n";
    const auto with = [&](const std::string& operation) { return registers_of(begin + across(16, operation)); };
    const std::string load = "ld.global.f64 %fd1, [%rd1+2048];\nld.global.f64 %fd2, [%rd1+2056];\n",
                      store = "st.global.f64 [%rd1+2048], %fd3;\n";
    EXPECT_EQ(with(""), 32u);
    EXPECT_EQ(with(load + "add.f64 %fd3, %fd1, %fd2;\n" + store), 32u);
    EXPECT_EQ(with(load + "div.rn.f64 %fd3, %fd1, %fd2;\n" + store), 40u);
}

TEST(Registers, LoadsAreNotIssuedEarlyAtThePriceOfWarps) {
    // One number at a time in the order of the program; all 60 loads first would take 60.
    std::string text;
    for (unsigned k = 0; k < 60; ++k) {
        const auto n = std::to_string(k), at = std::to_string(4 * k);
        text += "ld.shared.f32 %f" + n + ", [%r1+" + at + "];\nst.global.f32 [%rd1+" + at + "], %f" + n + ";\n";
    }
    EXPECT_LE(registers_of("mov.u32 %r1, %tid.x;\n" + text), 32u);
}

TEST(Registers, LaunchBoundsLeaveFewer) {
    EXPECT_EQ(registers_of(many(100), ".maxntid 1024, 1, 1\n.minnctapersm 2"), 32u);
    EXPECT_EQ(registers_of(many(100), ".maxntid 256, 1, 1\n.minnctapersm 4"), 64u);
    EXPECT_EQ(registers_of(many(100), ".maxnreg 40"), 40u);
}

TEST(Registers, ACallerByTheConventionHasTwentyFour) {
    // ptxas 13.0 for 9.0: an empty kernel with one call.
    auto parsed = ptx::parse(
        ".version 8.0\n.target sm_90\n.address_size 64\n"
        ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"
        ".visible .entry k()\n{\n.param .b64 p0;\n.param .b64 p1;\n.param .b32 q;\nst.param.b64 [p0], 0;\n"
        "st.param.b64 [p1], 0;\ncall (q), vprintf, (p0, p1);\nret;\n}\n",
        "test.ptx");
    ASSERT_TRUE(parsed) << parsed.error().text();
    for (std::size_t k = 0; k < parsed->functions.size(); ++k) {
        if (!parsed->functions[k].entry) continue;
        const auto f = simt::lower(*parsed, static_cast<ptx::SymbolId>(k));
        ASSERT_TRUE(f) << f.error().text();
        EXPECT_EQ(registers(*f), 24u);
    }
}

}  // namespace registers_test
}  // namespace warpwright::machine
