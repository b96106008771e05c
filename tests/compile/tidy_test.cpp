#include "compile/kernel/rewrite_ptx.hpp"

#include <gtest/gtest.h>

namespace warpwright::compile {
namespace tidy_test {

TEST(Tidy, ReversesABranchOverABranch) {
    EXPECT_EQ(tidy("\t@%p1 bra \t$L__BB0_3;\n\tbra.uni \t$L__BB0_2;\n$L__tmp1:\n$L__BB0_3:\n\tret;\n"),
              "\t@!%p1 bra \t$L__BB0_2;\n$L__tmp1:\n$L__BB0_3:\n\tret;\n");
}

TEST(Tidy, LeavesOtherBranchesAlone) {
    for (const char* text : {"\t@%p1 bra \t$L__BB0_3;\n\tbra.uni \t$L__BB0_2;\n$L__BB0_4:\n\tret;\n$L__BB0_3:\n",
                             "\t@%p1 bra \t$L__BB0_3;\n\tadd.s32 \t%r1, %r1, 1;\n$L__BB0_3:\n",
                             "\t@%p1 bra \t$L__BB0_3;\n\tbra.uni \t$L__BB0_2;\n\tret;\n$L__BB0_3:\n"})
        EXPECT_EQ(tidy(text), text);
}

TEST(Tidy, DropsFunctionsThatNothingReaches) {
    const std::string entry =
        ".visible .entry k(\n\t.param .u64 k_param_0\n)\n{\n\tcall.uni (retval0), _Z1av, ();\n\tret;\n}\n";
    const std::string a = ".visible .func  (.param .b32 func_retval0) _Z1av()\n{\n\tcall.uni _Z1cv, ();\n\tret;\n}\n";
    const std::string b =
        ".visible .func _Z1bv(\n\t.param .b32 _Z1bv_param_0\n)\n{\n\tcall.uni _Z1bv, ();\n\tret;\n}\n";
    const std::string c = ".func _Z1cv()\n{\n\tret;\n}\n";
    const std::string declared = ".extern .func _Z1dv\n()\n;\n";
    EXPECT_EQ(tidy(a + b + c + declared + entry), a + c + entry);
}

TEST(Tidy, KeepsFunctionsNamedInInitialisers) {
    const std::string text = ".visible .func _Z1bv()\n{\n\tret;\n}\n.global .align 8 .u64 table[1] = {_Z1bv};\n";
    EXPECT_EQ(tidy(text), text);
}

TEST(Tidy, ABranchToTheNextStatementGoes) {
    EXPECT_EQ(tidy("\t@!%p1 bra \t$L__BB0_4;\n\tbra.uni \t$L__BB0_3;\n$L__BB0_3:\n\tret;\n"),
              "\t@!%p1 bra \t$L__BB0_4;\n$L__BB0_3:\n\tret;\n");
    EXPECT_EQ(tidy("\t@!%p1 bra \t$L__BB0_3;\n\tbra.uni \t$L__BB0_4;\n$L__BB0_3:\n\tret;\n"),
              "\t@%p1 bra \t$L__BB0_4;\n$L__BB0_3:\n\tret;\n");
    const char* other = "\tbra.uni \t$L__BB0_4;\n$L__BB0_3:\n\tret;\n";
    EXPECT_EQ(tidy(other), other);
}

TEST(Tidy, ConstantsOfShufflesAreMovedOnceForABlock) {
    const std::string head = ".visible .entry k(\n\t.param .u64 k_param_0\n)\n{\n", tail = "\tret;\n}\n";
    const std::string shuffle = "\tshfl.sync.down.b32 \t%r1, %r0, 16, 31, -1;\n";
    const std::string moved = "\tshfl.sync.down.b32 \t%r1, %r0, %r2, %r3, %r4;\n";
    const std::string moves = "\tmov.u32 \t%r2, 16;\n\tmov.u32 \t%r3, 31;\n\tmov.u32 \t%r4, -1;\n";
    EXPECT_EQ(tidy(head + "\t.reg .b32 \t%r<2>;\n" + shuffle + shuffle + tail),
              head + "\t.reg .b32 \t%r<5>;\n" + moves + moved + moved + tail);
    // The block before has them only where every way leads through it: here one leads past the first shuffle.
    const std::string around = tidy(head + "\t.reg .pred \t%p<2>;\n\t.reg .b32 \t%r<2>;\n\t@%p1 bra \t$L__BB0_2;\n" +
                                    shuffle + "$L__BB0_2:\n" + shuffle + tail);
    EXPECT_NE(around.find("%r<8>"), std::string::npos) << around;
    const std::string through = tidy(head + "\t.reg .pred \t%p<2>;\n\t.reg .b32 \t%r<2>;\n" + shuffle +
                                     "\t@%p1 bra \t$L__BB0_2;\n" + shuffle + "$L__BB0_2:\n" + shuffle + tail);
    EXPECT_NE(through.find("%r<5>"), std::string::npos) << through;
}

TEST(Tidy, ParametersAreLoadedFirst) {
    const std::string head =
        ".visible .entry k(\n\t.param .u32 k_param_0,\n\t.param .align 4 .b8 k_param_1[8]\n)\n{\n\t.reg .pred "
        "\t%p<2>;\n";
    const std::string first = "\tmov.u32 \t%r1, %tid.x;\n\t@%p1 bra \t$L__BB0_2;\n";
    const std::string number = "\tld.param.u32 \t%r2, [k_param_0];\n", part = "\tld.param.u32 \t%r3, [k_param_1+4];\n";
    EXPECT_EQ(tidy(head + first + part + number + "$L__BB0_2:\n\tret;\n}\n"),
              head + number + first + part + "$L__BB0_2:\n\tret;\n}\n");
}

TEST(Tidy, AParameterStaysWhereItsRegisterHasAnotherValueToo) {
    const std::string head = ".visible .entry k(\n\t.param .u32 k_param_0\n)\n{\n\t.reg .pred \t%p<2>;\n";
    const std::string load = "\tld.param.u32 \t%r2, [k_param_0];\n",
                      tail = "$L__BB0_2:\n\tst.global.u32 \t[%rd1], %r2;\n}\n";
    const std::string branch = "\t@%p1 bra \t$L__BB0_2;\n";
    // `int x = 5; if (...) x = k_param_0;`
    for (const char* other :
         {"\tmov.b32 \t%r2, 5;\n", "\tld.global.v2.u32 \t{%r1, %r2}, [%rd1];\n",
          "\tshfl.sync.idx.b32 \t%r2|%p2, %r1, %r3, %r4, %r5;\n", "\t@%p1 add.s32 \t%r2, %r2, 1;\n"})
        EXPECT_EQ(tidy(head + other + branch + load + tail), head + other + branch + load + tail);
    const std::string text = "\tfoo %r1, %r2;\n";
    EXPECT_EQ(tidy(head + "\t// begin inline asm\n" + text + "\t// end inline asm\n" + branch + load + tail),
              head + text + branch + load + tail);
    const std::string first = "\tst.global.u32 \t[%rd1], %r1;\n\tadd.s32 \t%r21, %r1, %r2;\n";
    EXPECT_EQ(tidy(head + first + branch + load + tail), head + load + first + branch + tail);
    // A brace of inline PTX ends no kernel.
    const std::string braces = head + branch + load + "\t{\n}\n\tadd.s32 \t%r2, %r2, 1;\n" + tail;
    EXPECT_EQ(tidy(braces), braces);
}

TEST(Tidy, ALineOfSeveralStatementsKeepsItsConstants) {
    const std::string text =
        ".visible .entry k(\n\t.param .u64 k_param_0\n)\n{\n\t.reg .b32 \t%r<2>;\n"
        "\tshfl.sync.bfly.b32 %r1, %r0, 1, 31, -1; add.s32 %r1, %r1, %r0;\n\tret;\n}\n";
    EXPECT_EQ(tidy(text), text);
}

TEST(Tidy, SeesLibraryCalls) {
    EXPECT_TRUE(calls_library(".extern .func  (.param .b64 func_retval0) _Z3powdd\n(\n)\n;\n"));
    EXPECT_FALSE(calls_library(".extern .func  (.param .b32 func_retval0) vprintf\n(\n)\n;\n"));
    EXPECT_FALSE(calls_library(".visible .func _Z3powdd()\n{\n}\n"));
}

}  // namespace tidy_test
}  // namespace warpwright::compile
