// Several PTX modules to one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compile/program/link_ptx.hpp"

namespace warpwright::compile {
namespace link_test {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kCaller = R"(.version 8.0
.target sm_80
.address_size 64
.extern .func (.param .b32 out) twice (.param .b32 in) ;
.extern .global .align 4 .u32 total;
.global .align 4 .u32 mine = 1;
.visible .entry work(.param .u64 p)
{
	.loc	1 7 3, function_name $info, inlined_at 1 9 1
	ld.global.u32 %r1, [mine]; // a ; in a comment
	ld.global.u32 %r2, [total];
}
	.file	1 "a.cu"
.section .debug_str { $info: .b8 97 }
)";
constexpr const char* kCallee = R"(.version 8.0
.target sm_80
.address_size 64
.visible .global .align 4 .u32 total = {5};
.global .align 4 .u32 mine;
.visible .func (.param .b32 out) twice(.param .b32 in)
{
	.loc	1 3 2
	ld.global.u32 %r1, [mine];
	ret;
}
	.file	1 "b.cu"
)";
constexpr const char* kUnused = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .func other()\n{\n\tret;\n}\n";

/// The engine has a device runtime of its own: NVIDIA's is left out, and what calls it stays declared.
TEST(LinkPtx, NvidiasDeviceRuntimeIsLeftOut) {
    const std::string caller =
        ".version 8.0\n.target sm_90\n.address_size 64\n.extern .func (.param .b32 r) __cudaCDP2GetLastError();\n"
        ".visible .entry work()\n{\n\tcall.uni (r), __cudaCDP2GetLastError, ();\n}\n";
    const std::string runtime =
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .func (.param .b32 r) "
        "__cudaCDP2GetLastError()\n{\n\tcall.uni (r), "
        "__cuda_syscall_of_theirs, ();\n}\n.visible .entry of_theirs()\n{\n\tret;\n}\n";
    const auto linked = link_ptx({caller, runtime});
    ASSERT_TRUE(linked.ok());
    EXPECT_THAT(*linked, HasSubstr(".extern .func (.param .b32 r) __cudaCDP2GetLastError();"));
    EXPECT_THAT(*linked, Not(HasSubstr("of_theirs")));
}

// As Numba's modules define what they share.
TEST(LinkPtx, CommonVariablesAreOne) {
    const std::string head = ".version 8.0\n.target sm_90\n.address_size 64\n.common .global .align 8 .u64 shared;\n";
    const std::string caller = head + ".extern .func other();\n.visible .entry work()\n{\n\tcall.uni other, ();\n}\n";
    const std::string callee = head + ".visible .func other()\n{\n\t.reg .b64 %d;\n\tmov.u64 %d, shared;\n\tret;\n}\n";
    const auto linked = link_ptx({caller, callee});
    ASSERT_TRUE(linked.ok()) << linked.error().text();
    const auto first = linked->find(".u64 shared;");
    ASSERT_NE(first, std::string::npos);
    EXPECT_EQ(linked->find(".u64 shared;", first + 1), std::string::npos);
}

TEST(LinkPtx, DeclarationsMeetDefinitions) {
    auto linked = link_ptx({kCaller, kCallee, kUnused});
    ASSERT_TRUE(linked.ok()) << linked.error().text();
    EXPECT_TRUE(is_linked_ptx(*linked));
    EXPECT_FALSE(is_linked_ptx(kCaller));
    EXPECT_THAT(*linked, Not(HasSubstr(".extern")));
    EXPECT_THAT(*linked, HasSubstr(".u32 total = {5};"));
    EXPECT_THAT(*linked, Not(HasSubstr("other")));
    // A prototype before the caller, the body once.
    const auto prototype = linked->find(") twice(.param .b32 in);"), entry = linked->find(".entry work");
    ASSERT_NE(prototype, std::string::npos);
    EXPECT_LT(prototype, entry);
}

TEST(LinkPtx, WhatModulesKeepToThemselvesStaysApart) {
    auto linked = link_ptx({kCaller, kCallee});
    ASSERT_TRUE(linked.ok());
    EXPECT_THAT(*linked, HasSubstr("[mine]"));
    EXPECT_THAT(*linked, HasSubstr("[mine__file1]"));
    EXPECT_THAT(*linked, HasSubstr("mine__file1;"));
}

TEST(LinkPtx, LinesKeepTheirFiles) {
    auto linked = link_ptx({kCaller, kCallee});
    ASSERT_TRUE(linked.ok());
    EXPECT_THAT(*linked, HasSubstr(".loc 1 7 3\n"));
    EXPECT_THAT(*linked, HasSubstr(".loc 2 3 2\n"));
    EXPECT_THAT(*linked, HasSubstr(".file 2 \"b.cu\""));
}

TEST(LinkPtx, TwoDefinitionsAreAnError) {
    auto linked = link_ptx({kCaller, kCallee, kCallee});
    ASSERT_FALSE(linked.ok());
    EXPECT_THAT(linked.error().what, HasSubstr("is defined in two files"));
}

}  // namespace link_test
}  // namespace warpwright::compile
