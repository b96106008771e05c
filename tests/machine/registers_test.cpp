// Registers of small kernels: what is live at once, and what launch bounds leave.
#include <gtest/gtest.h>

#include <stdexcept>

#include "machine/registers.hpp"
#include "ptx/parser.hpp"
#include "simt/passes.hpp"

namespace warpwright::machine {
namespace {

unsigned registers_of(const std::string& body, const std::string& directives = {}) {
    auto parsed =
        ptx::parse(".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a)\n" + directives +
                       "\n{\n.reg .b32 %r<8>;\n.reg .b64 %rd<8>;\n.reg .f32 %f<200>;\nld.param.u64 %rd1, [a];\n" +
                       body + "\nret;\n}\n",
                   "test.ptx");
    if (!parsed) throw std::runtime_error(parsed.error().text());
    auto f = simt::lower(*parsed, 0);
    if (!f) throw std::runtime_error(f.error().text());
    return registers(*f);
}

/// Loads `n` numbers and writes each of them after the last load.
std::string many(unsigned n) {
    std::string text;
    for (unsigned k = 0; k < n; ++k)
        text += "ld.global.f32 %f" + std::to_string(k) + ", [%rd1+" + std::to_string(4 * k) + "];\n";
    text += "bar.sync 0;\n";
    for (unsigned k = 0; k < n; ++k)
        text += "st.global.f32 [%rd1+" + std::to_string(1024 + 4 * k) + "], %f" + std::to_string(k) + ";\n";
    return text;
}

TEST(Registers, SmallKernelsHaveTheFewest) {
    EXPECT_EQ(registers_of("mov.u32 %r1, %tid.x;\nst.global.u32 [%rd1], %r1;"), 16u);
}

TEST(Registers, WhatIsLiveAtOnceCounts) {
    const unsigned sixty = registers_of(many(60)), hundred = registers_of(many(100));
    EXPECT_GE(sixty, 60u);
    EXPECT_LE(sixty, 72u);
    EXPECT_EQ(hundred - sixty, 40u);
}

TEST(Registers, ParametersAreReadWhereTheyLie) {
    // The address is a parameter: it takes no register, whatever the number of accesses by it.
    EXPECT_LE(registers_of(many(28)), 33u);
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

}  // namespace
}  // namespace warpwright::machine
