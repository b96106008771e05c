// Kernels whose course follows from their arguments, and kernels in which memory, the clock or other blocks decide.
#include <gtest/gtest.h>

#include <stdexcept>

#include "machine/course.hpp"
#include "ptx/parser.hpp"
#include "simt/passes.hpp"

namespace warpwright::machine {
namespace course_test {

bool follows(const std::string& body) {
    const auto module = ptx::parse(
        ".version 8.0\n.target sm_90\n.address_size 64\n"
        ".visible .entry k(.param .u64 a, .param .u32 n)\n{\n"
        ".reg .pred %p<8>;\n.reg .b32 %r<32>;\n.reg .b64 %rd<16>;\n.reg .f32 %f<16>;\n.shared .align 4 .b8 s[128];\n"
        "ld.param.u64 %rd1, [a];\nld.param.u32 %r1, [n];\nmov.u32 %r2, %tid.x;\nmul.wide.u32 %rd2, %r2, 4;\n"
        "add.s64 %rd2, %rd1, %rd2;\nsetp.lt.u32 %p1, %r2, %r1;\n" +
            body + "\nret;\n}\n",
        "test.ptx");
    if (!module) throw std::runtime_error(module.error().text());
    const auto f = simt::lower(*module, 0);
    if (!f) throw std::runtime_error(f.error().text());
    return follows_from_arguments(*f);
}

const std::string kLoad = "ld.global.u32 %r3, [%rd2];\n";

TEST(Course, FollowsWhereMemoryIsOnlyComputedWith) {
    EXPECT_TRUE(follows(kLoad + "add.u32 %r4, %r3, 1;\nst.global.u32 [%rd2], %r4;"));
    EXPECT_TRUE(follows("@!%p1 bra E;\n" + kLoad + "st.global.u32 [%rd2], %r3;\nE:")) << "the branch is of arguments";
    EXPECT_TRUE(follows("mov.u32 %r5, 0;\nmov.u32 %r6, 0;\nL:\n" + kLoad +
                        "add.u32 %r6, %r6, %r3;\nadd.u32 %r5, %r5, 1;\nsetp.lt.u32 %p2, %r5, %r1;\n@%p2 bra L;\n"
                        "st.global.u32 [%rd2], %r6;"));
    EXPECT_TRUE(follows("st.shared.u32 [s], %r2;\nbar.sync 0;\nld.shared.u32 %r3, [s];\nst.global.u32 [%rd2], %r3;"));
    EXPECT_TRUE(follows(kLoad + "red.global.add.u32 [%rd1], %r3;"));
    EXPECT_TRUE(follows(kLoad + "shfl.sync.bfly.b32 %r4, %r3, 1, 31, -1;\nst.global.u32 [%rd2], %r4;"));
}

TEST(Course, DoesNotWhereMemoryDecides) {
    EXPECT_FALSE(follows(kLoad + "setp.eq.u32 %p2, %r3, 0;\n@%p2 bra E;\nst.global.u32 [%rd2], %r2;\nE:"))
        << "a branch";
    EXPECT_FALSE(follows(kLoad + "mul.wide.u32 %rd3, %r3, 4;\nadd.s64 %rd3, %rd1, %rd3;\nld.global.u32 %r4, [%rd3];\n"
                                 "st.global.u32 [%rd2], %r4;"))
        << "an address";
    EXPECT_FALSE(follows(kLoad + "mul.wide.u32 %rd3, %r3, 4;\nadd.s64 %rd3, %rd1, %rd3;\nst.global.u32 [%rd3], %r2;"));
    EXPECT_FALSE(follows(kLoad + "st.shared.u32 [s], %r3;\nbar.sync 0;\nld.shared.u32 %r4, [s];\n"
                                 "setp.eq.u32 %p2, %r4, 0;\n@%p2 bra E;\nst.global.u32 [%rd2], %r2;\nE:"))
        << "by way of shared memory";
    EXPECT_FALSE(follows(kLoad + "shfl.sync.bfly.b32 %r4, %r3, 1, 31, -1;\nsetp.eq.u32 %p2, %r4, 0;\n@%p2 bra E;\n"
                                 "st.global.u32 [%rd2], %r2;\nE:"))
        << "by way of another lane";
    EXPECT_FALSE(
        follows("atom.global.add.u32 %r3, [%rd1], 1;\nsetp.eq.u32 %p2, %r3, 0;\n@%p2 bra E;\n"
                "st.global.u32 [%rd2], %r2;\nE:"))
        << "who came first";
    // What a loop carries from a load decides in the next turn.
    EXPECT_FALSE(follows("mov.u32 %r5, 0;\nL:\nsetp.gt.u32 %p2, %r5, 100;\n@%p2 bra E;\n" + kLoad +
                         "add.u32 %r5, %r5, %r3;\nbra L;\nE:"));
}

TEST(Course, DoesNotWhereTheClockOrThePlaceDecides) {
    for (const char* of : {"%clock", "%smid", "%globaltimer_lo"})
        EXPECT_FALSE(follows("mov.u32 %r3, " + std::string(of) +
                             ";\nand.b32 %r3, %r3, 1;\nsetp.eq.u32 %p2, %r3, 0;\n@%p2 bra E;\n"
                             "st.global.u32 [%rd2], %r2;\nE:"))
            << of;
}

}  // namespace course_test
}  // namespace warpwright::machine
