// The compiler's warnings, and what is compiled once more with the host's headers.
#include <gmock/gmock.h>

#include "common/files.hpp"
#include "compile/kernel/compile.hpp"
#include "compile/kernel/warnings.hpp"

namespace warpwright::compile {
namespace warnings_test {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using Lines = std::vector<std::string>;

CompileRequest request_of(const char* text) {
    CompileRequest request;
    request.path = "w.cu";
    request.text = text;
    return request;
}

Lines warnings_of(const CompileRequest& request, const std::string& cache = "") {
    Lines out;
    CompileOptions options;
    options.cache_dir = cache;
    options.warnings = &out;
    const auto made = compile(request, options);
    EXPECT_TRUE(made) << made.error().text();
    return out;
}

TEST(Warnings, EachIsOneLineAndToldOnce) {
    Lines lines{"a.cu:1:2: warning: old"};
    add_warnings(
        "a.cu:1:2: warning: old\n    1 | code\n      |  ^\nclang++-19: warning: argument unused\n"
        "b.cu:3:4: warning: new [-Wnew]\nb.cu:3:4: warning: new [-Wnew]\nb.cu:5:6: error: wrong\n",
        lines);
    EXPECT_THAT(lines, ElementsAre("a.cu:1:2: warning: old", "b.cu:3:4: warning: new [-Wnew]"));
}

TEST(Warnings, ClangsDefaultSetIsToldFromTheCacheToo) {
    const test::Folder cache("warnings");
    const auto request = request_of("__global__ void k(int* p, int n) {\n  if (n = 3) *p = 1;\n}\n");
    for (int k = 0; k < 2; ++k)
        EXPECT_THAT(warnings_of(request, cache.string()),
                    ElementsAre(HasSubstr("w.cu:2:9: warning: use of \"=\" where \"==\" may have been intended")));
}

TEST(Warnings, AClusterThatTheTargetLacksIsTold) {
    auto request = request_of("__global__ void\n__cluster_dims__(2, 1, 1) k(int* p) { *p = 1; }\n");
    EXPECT_THAT(warnings_of(request),
                ElementsAre(AllOf(HasSubstr("w.cu:2:1: warning: __cluster_dims__ has no effect before sm_90"),
                                  HasSubstr("compile with -arch=sm_90"))));
    request.arch = "sm_90";
    EXPECT_THAT(warnings_of(request), ElementsAre());
}

TEST(Warnings, AllAreToldWhereTheyAreAskedFor) {
    auto request = request_of("__device__ static int unused() { return 1; }\n__global__ void k(int* p) { *p = 1; }\n");
    EXPECT_THAT(warnings_of(request), testing::IsEmpty());
    request.flags = {"-Wall"};
    EXPECT_THAT(warnings_of(request), ElementsAre(HasSubstr("unused function 'unused'")));
    request.flags = {"-Wall", "-w"};
    EXPECT_THAT(warnings_of(request), testing::IsEmpty());
}

TEST(Warnings, WhatNvccTellsIsToldInItsWords) {
    auto request = request_of(
        "__global__ void k(int* a, int n) {\n  int i;\n  int unused = 3;\n  a[i] = 1;\n"
        "  for (unsigned j = 4; j >= 0; j--)\n    if (j > 1000) break;\n  n >> 1;\n  int set;\n  set = n;\n}\n");
    const auto told = warnings_of(request);
    EXPECT_THAT(
        told,
        testing::UnorderedElementsAre(
            "w.cu:4:5: warning: variable \"i\" is used before its value is set [-Wuninitialized, nvcc's #549-D]",
            "w.cu:3:7: warning: variable \"unused\" was declared but never referenced [-Wunused-variable, "
            "nvcc's #177-D]",
            "w.cu:5:26: warning: pointless comparison of unsigned integer with zero "
            "[-Wtautological-unsigned-zero-compare, nvcc's #186-D]",
            "w.cu:7:5: warning: expression has no effect [-Wunused-value, nvcc's #174-D]",
            "w.cu:8:7: warning: variable \"set\" was set but never used [-Wunused-but-set-variable, nvcc's #550-D]"));
    // A name that is no option of ours stays as clang has it.
    Lines lines;
    add_warnings("a.cu:1:2: warning: variable 'x' is odd [-Wodd]\n", lines);
    EXPECT_THAT(lines, ElementsAre("a.cu:1:2: warning: variable 'x' is odd [-Wodd]"));
    request.flags = {"-Wno-uninitialized"};
    EXPECT_THAT(warnings_of(request), testing::SizeIs(4));
}

TEST(Warnings, WhatNvccTakesIsNoError) {
    auto request = request_of(
        "enum E { one = 1 };\nconstexpr E beyond = static_cast<E>(17);\n"
        "__global__ void k(int* p, unsigned n) {\n  register int i = beyond;\n  int v[2] = {n, i};\n  p[0] = v[0] + "
        "v[1];\n}\n");
    EXPECT_THAT(warnings_of(request), ElementsAre(HasSubstr("w.cu:5:15: warning: invalid narrowing conversion")));
}

TEST(Warnings, OurHeadersHaveNone) {
    auto request = request_of(
        "#include <cooperative_groups.h>\n#include <mma.h>\n#include <cuda_fp8.h>\n__global__ void k(int* p) { *p = 1; "
        "}\n");
    request.flags = {"-Wall", "-Wextra"};
    EXPECT_THAT(warnings_of(request), testing::IsEmpty());
}

TEST(HostHeaders, AreThereWhereTheTextUsesTheirNames) {
    auto request = request_of(
        "__global__ void k(int* p) { *p = 1; }\n"
        "void host() { int* p = (int*)malloc(4); memset(p, rand(), 4); free(p); assert(p); printf(\"%p\", p); }\n");
    EXPECT_FALSE(compile(request));
    request.may_need_host_headers = true;
    const auto made = compile(request);
    EXPECT_TRUE(made) << made.error().text();
    request.text = "__global__ void k(int* p) { *p = nothing; }\n";
    const auto wrong = compile(request);
    ASSERT_FALSE(wrong);
    EXPECT_THAT(wrong.error().text(), HasSubstr("use of undeclared identifier 'nothing'"));
}

}  // namespace warnings_test
}  // namespace warpwright::compile
