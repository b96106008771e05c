// What of the kernel target's comparison with a GPU needs none: which kernels are compared, and how they are made
// smaller.
#include <gtest/gtest.h>

#include "against_gpu.hpp"

using namespace warpwright::fuzz;

namespace against_gpu_test {

std::string kernel(const std::string& body) {
    return ".version 7.8\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p) {\n" + body + "\n}\n";
}

TEST(AgainstGpu, ComparesKernelsThatEnd) {
    EXPECT_EQ(why_not_comparable(kernel("@%p1 bra DONE;\nadd.s32 %r1, %r1, 1;\nDONE: ret;")), "");
    EXPECT_EQ(why_not_comparable(kernel("L: @%p1 bra L;\nret;")), "a branch backwards");
    EXPECT_EQ(why_not_comparable(kernel("@%p1 bra NOWHERE;\nret;")), "a branch backwards");
    EXPECT_EQ(why_not_comparable(kernel("XDONE: @%p1 bra DONE;\nDONE: ret;")), "");
    EXPECT_EQ(why_not_comparable(kernel("mov.u32 %r1, %clock;")), "%clock");
    EXPECT_EQ(why_not_comparable(kernel("sin.approx.f32 %f1, %f2;")), ".approx");
}

TEST(AgainstGpu, SetsEveryRegister) {
    EXPECT_EQ(with_registers_set(kernel(".reg .b32 %r<2>, %x;")),
              kernel(".reg .b32 %r<2>, %x; mov.b32 %r0, 0; mov.b32 %r1, 0; mov.b32 %x, 0;"));
    EXPECT_EQ(with_registers_set(kernel(".reg .pred %p;\n.reg .f64 %d;")),
              kernel(".reg .pred %p; mov.pred %p, 0;\n.reg .f64 %d; mov.f64 %d, 0d0000000000000000;"));
    EXPECT_FALSE(with_registers_set(kernel(".reg .b8 %b;")));
    EXPECT_FALSE(with_registers_set(kernel(".reg .b32 %r<100000>;")));
    EXPECT_FALSE(with_registers_set(".reg .b32 %r;\n" + kernel("ret;")));
}

TEST(AgainstGpu, MakesKernelsSmaller) {
    const auto text = kernel(
        "{ .reg .b32 %r<3>;\nld.param.u64 %rd1, [p];\n@%p1 add.s32 %r1, %r1, 1; // one; two\nL: mov.b64 {%r1, %r2}, "
        "%rd1;\n"
        "st.shared::cta.u32 [%r1], %r2;\n}");
    EXPECT_EQ(opcodes_of(text), (std::set<std::string>{"add.s32", "mov.b64", "st.shared::cta.u32"}));
    const auto small = reduced(text, [](const std::string& t) { return t.find("mov.b64") != t.npos; });
    EXPECT_EQ(opcodes_of(small), (std::set<std::string>{"mov.b64"}));
    EXPECT_NE(small.find(".reg .b32 %r<3>;"), small.npos);
    EXPECT_NE(small.find("L:"), small.npos);
}

TEST(AgainstGpu, KeepsRegistersSetInSmallerKernels) {
    const auto set =
        with_registers_set(kernel(".reg .b32 %r<2>; .reg .f64 %d;\nadd.s32 %r0, %r1, 1;\nmov.u32 %r1, 7;"));
    ASSERT_TRUE(set);
    EXPECT_EQ(opcodes_of(*set), (std::set<std::string>{"add.s32", "mov.u32"}));
    EXPECT_EQ(reduced(*set, [](const std::string&) { return true; }),
              *with_registers_set(kernel(".reg .b32 %r<2>; .reg .f64 %d;\n\n")));
}

}  // namespace against_gpu_test
