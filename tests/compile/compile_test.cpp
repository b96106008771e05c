#include "compile/kernel/compile.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "compile/kernel/command.hpp"
#include "compile/kernel/entries.hpp"

namespace warpwright::compile {
namespace compile_test {

using testing::HasSubstr;
using testing::Not;

CompileRequest text(std::string source) {
    CompileRequest request;
    request.path = "kernel.cu";
    request.text = std::move(source);
    return request;
}

constexpr const char* kTiled = R"(
template <int TILE>
__global__ void tiled(const float* __restrict__ a, float* c, int n) {
    __shared__ float tile[TILE][TILE];
    tile[threadIdx.y][threadIdx.x] = a[(blockIdx.y * TILE + threadIdx.y) * n + blockIdx.x * TILE + threadIdx.x];
    __syncthreads();
    c[(blockIdx.x * TILE + threadIdx.y) * n + blockIdx.y * TILE + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
template __global__ void tiled<SIZE>(const float*, float*, int);
)";

TEST(Compile, WhatEndsTheCompilerIsItsErrorThoughItHasNoPlace) {
    auto full = all_errors(
        "clang++-19: warning: old [-Wold]\n"
        "fatal error: error in backend: IO failure on output stream: No space left on device\n"
        "PLEASE submit a bug report\n",
        text(""));
    EXPECT_EQ(full.kind, ErrorKind::internal);
    EXPECT_EQ(full.text(),
              "kernel.cu: error: the compiler stopped: error in backend: IO failure on output stream: No "
              "space left on device");
    // An error with a place that stands before it is the cause.
    auto signs =
        all_errors("kernel.cu:3:5: error: expected expression\n    3 | k<<<<1, 1>>>();\n      |     ^\n", text(""));
    EXPECT_THAT(signs.hint, testing::HasSubstr("kernel<<<grid, block>>>(arguments)"));
    auto header = all_errors(
        "In file included from kernel.cu:1:\n/usr/include/vector:60:31: error: expected member name\n   60 | size() {\n"
        "<command line>:1:14: note: expanded from macro 'size'\n/usr/include/vector:61:1: error: expected ')'\n",
        text(""));
    EXPECT_EQ(header.text(),
              "/usr/include/vector:60:31: error: the macro size, which the command line defines, changes what this "
              "header says: expected member name (give the macro another name, or define it in the source behind its "
              "headers)");
    auto both = all_errors("kernel.cu:3:5: error: what\nfatal error: error in backend: so\n", text(""));
    EXPECT_EQ(both.text(), "kernel.cu:3:5: error: what");
}

TEST(Compile, SaysWhyAFunctionCannotBeCalled) {
    const std::string call = "kernel.cu:3:5: error: no matching function for call to 'f'\n    3 | f(1);\n      | ^\n";
    const std::string hosts =
        "note: candidate function not viable: call to __host__ function from __global__ function\n";
    EXPECT_THAT(all_errors(call + "kernel.cu:1:6: " + hosts, text("")).hint, HasSubstr("__device__ before it"));
    EXPECT_THAT(all_errors(call + "/usr/include/stdlib.h:624:13: " + hosts, text("")).hint,
                HasSubstr("a function of the host's library"));
    const std::string types =
        "note: candidate function not viable: no known conversion from 'float' to '__half2' for 1st argument\n";
    EXPECT_EQ(all_errors(call + "kernel.cu:1:6: " + types, text("")).hint,
              "no known conversion from 'float' to '__half2' for 1st argument");
    const std::string number = "note: candidate function not viable: requires 2 arguments, but 1 was provided\n";
    EXPECT_EQ(all_errors(call + "kernel.cu:1:6: " + types + "kernel.cu:2:6: " + number, text("")).hint,
              "the nearest of 2: no known conversion from 'float' to '__half2' for 1st argument");
    const auto two = all_errors(call + "kernel.cu:1:6: " + types + "kernel.cu:9:1: error: expected '}'\n", text(""));
    EXPECT_THAT(two.what, HasSubstr("for 1st argument) (2 errors)"));
}

TEST(Compile, NamesThePartsOfThreadIdx) {
    auto one = compile(text("__global__ void k(int* a) { int i = threadIdx; a[i] = i; }"));
    ASSERT_FALSE(one.ok());
    EXPECT_THAT(one.error().what, HasSubstr("threadIdx"));
    EXPECT_THAT(one.error().hint, HasSubstr(".x, .y and .z"));
}

TEST(Compile, TemplateWithSharedMemoryAndBarrier) {
    auto request = text(kTiled);
    request.defines = {"SIZE=16"};
    auto ptx = compile(request);
    ASSERT_TRUE(ptx.ok()) << ptx.error().text();
    ASSERT_EQ(ptx->entries.size(), 1u);
    EXPECT_EQ(*find_entry(ptx->entries, "tiled<16>"), ptx->entries[0]);
    EXPECT_THAT(ptx->ptx, HasSubstr("ld.global.nc.f32"));
    EXPECT_THAT(ptx->ptx, HasSubstr("bar.sync"));
    EXPECT_THAT(ptx->ptx, HasSubstr("[1024]"));
    EXPECT_THAT(ptx->ptx, HasSubstr("\"kernel.cu\""));
    EXPECT_THAT(ptx->ptx, HasSubstr(".loc\t1 5 "));
    EXPECT_FALSE(ptx->from_cache);
}

TEST(Compile, ErrorsAreLocated) {
    auto ptx = compile(text("__global__ void k(float* p) {\n    p[0] = undefined_name;\n}\n"));
    ASSERT_FALSE(ptx.ok());
    EXPECT_EQ(ptx.error().kind, ErrorKind::input);
    EXPECT_EQ(ptx.error().where.file, "kernel.cu");
    EXPECT_EQ(ptx.error().where.line, 2u);
    EXPECT_EQ(ptx.error().where.column, 12u);
    EXPECT_THAT(ptx.error().what, HasSubstr("undefined_name"));
}

TEST(Compile, AnErrorInAnIncludedFileNamesThatFile) {
    auto request = text("#include \"missing/header.h\"\n");
    auto ptx = compile(request);
    ASSERT_FALSE(ptx.ok());
    EXPECT_EQ(ptx.error().where.line, 1u);
    EXPECT_THAT(ptx.error().what, HasSubstr("missing/header.h"));
}

TEST(Compile, TheLogHasEveryDiagnostic) {
    auto request = text("__global__ void k(int* p) {\n    p[0] = a;\n    p[1] = b;\n}\n");
    std::string log;
    CompileOptions options;
    options.log = &log;
    ASSERT_FALSE(compile(request, options).ok());
    EXPECT_THAT(log, HasSubstr("kernel.cu:2:12: error"));
    EXPECT_THAT(log, HasSubstr("kernel.cu:3:12: error"));
}

TEST(Compile, MissingFile) {
    CompileRequest request;
    request.path = "/nowhere/kernel.cu";
    auto ptx = compile(request);
    ASSERT_FALSE(ptx.ok());
    EXPECT_EQ(ptx.error().kind, ErrorKind::input);
    EXPECT_EQ(ptx.error().where.file, "/nowhere/kernel.cu");
}

TEST(Compile, MissingTools) {
    CompileOptions options;
    options.compiler = "no-such-clang";
    auto ptx = compile(text("__global__ void k() {}"), options);
    ASSERT_FALSE(ptx.ok());
    EXPECT_EQ(ptx.error().kind, ErrorKind::no_device);
    EXPECT_THAT(ptx.error().hint, HasSubstr("clang-19"));

    options = {};
    options.toolchain_dir = "/nowhere";
    EXPECT_EQ(compile(text("__global__ void k() {}"), options).error().kind, ErrorKind::no_device);

    options = {};
    options.libclc_dir = "/nowhere";
    EXPECT_TRUE(compile(text("__global__ void k(float* p) { p[0] = sinf(p[1]); }"), options).ok())
        << "needs no library";
    auto library = compile(text("__global__ void k(double* p) { p[0] = erf(p[1]); }"), options);
    ASSERT_FALSE(library.ok());
    EXPECT_EQ(library.error().kind, ErrorKind::no_device);
    EXPECT_THAT(library.error().hint, HasSubstr("libclc-19"));
}

TEST(Compile, BadRequests) {
    auto request = text("__global__ void k() {}");
    request.arch = "sm_x";
    EXPECT_EQ(compile(request).error().kind, ErrorKind::usage);
    request.arch = "sm_80";
    request.language = "fortran";
    EXPECT_EQ(compile(request).error().kind, ErrorKind::usage);
    request.language = "cuda";
    request.flags = {"--no-such-flag"};
    auto flag = compile(request);
    ASSERT_FALSE(flag.ok());
    EXPECT_EQ(flag.error().kind, ErrorKind::usage);
    EXPECT_THAT(flag.error().what, HasSubstr("--no-such-flag"));
}

TEST(Compile, LineInformationCanBeLeftOut) {
    auto request = text(kTiled);
    request.defines = {"SIZE=8"};
    request.line_info = false;
    EXPECT_THAT(compile(request)->ptx, Not(HasSubstr(".loc")));
}

TEST(Compile, LibraryFunctionsAreLinkedWhereCalled) {
    auto ptx = compile(text("__global__ void k(double* p) { p[0] = pow(p[1], p[2]) + erf(p[3]); }"));
    ASSERT_TRUE(ptx.ok()) << ptx.error().text();
    EXPECT_THAT(ptx->ptx, Not(HasSubstr(".extern .func")));
    EXPECT_THAT(ptx->ptx, HasSubstr("fma.rn.f64"));
}

TEST(Compile, DeviceFunctionsThatNothingCallsAreDropped) {
    auto ptx = compile(text(
        "__device__ int inlined(int x) { return x * 3; }\n__device__ __noinline__ int kept(int x) { return x / 7; }\n"
        "__global__ void k(int* p) { p[0] = inlined(p[1]) + kept(p[2]); }\n"));
    ASSERT_TRUE(ptx.ok()) << ptx.error().text();
    EXPECT_THAT(ptx->ptx, Not(HasSubstr("_Z7inlinedi")));
    EXPECT_THAT(ptx->ptx, HasSubstr("_Z4kepti"));
    EXPECT_EQ(ptx->entries.size(), 1u);
}

TEST(Compile, SharedAddressesAreShortAndConstantOnesLong) {
    const std::string shared =
        "__shared__ int s[32]; s[threadIdx.x] = p[0]; __syncthreads(); p[1] = s[threadIdx.x ^ 1];";
    auto plain = compile(text("__global__ void k(int* p) { " + shared + " }"));
    ASSERT_TRUE(plain.ok());
    EXPECT_THAT(plain->ptx, testing::ContainsRegex("st.shared.u32 \t\\[%r[0-9]"));
    for (const char* word : {"__constant__", "WORD(__const, ant__)"}) {
        auto constant = compile(text("#define WORD(a, b) a##b\n" + std::string(word) +
                                     " int table[64] = {1};\n__global__ void k(int* p) { p[0] = table[threadIdx.x]; " +
                                     shared + " }"));
        ASSERT_TRUE(constant.ok());
        EXPECT_THAT(constant->ptx, testing::ContainsRegex("ld.const.u32 \t%r[0-9]+, \\[%rd[0-9]"));
    }
}

TEST(Compile, OpenClThroughLibclc) {
    CompileRequest request;
    request.path = "kernel.cl";
    request.language = "opencl";
    request.text = R"(
__kernel void scale(__global const float* x, __global float* y, __local float* buffer, float a, int n) {
    int i = get_global_id(0);
    buffer[get_local_id(0)] = i < n ? x[i] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < n) y[i] = fma(a, buffer[get_local_size(0) - 1 - get_local_id(0)], sin(x[i]));
}
)";
    auto ptx = compile(request);
    ASSERT_TRUE(ptx.ok()) << ptx.error().text();
    EXPECT_THAT(ptx->entries, testing::ElementsAre("scale"));
    EXPECT_THAT(ptx->ptx, HasSubstr("bar.sync"));
    EXPECT_THAT(ptx->ptx, HasSubstr("%ctaid.x"));
    EXPECT_THAT(ptx->ptx, HasSubstr("fma.rn.f32"));
    EXPECT_THAT(ptx->ptx, Not(HasSubstr(".extern .func")));
    request.line_info = true;
    auto lines = compile(request);
    ASSERT_TRUE(lines.ok()) << lines.error().text();
    EXPECT_THAT(lines->ptx, HasSubstr("\t.file\t1 \"kernel.cl\"")) << "as ptxas reads it";
    EXPECT_THAT(lines->ptx, HasSubstr("\t.loc\t1 5 "));
    request.text = "__kernel void bad(__global float* x) {\n  x[0] = nothing;\n}\n";
    auto bad = compile(request);
    ASSERT_FALSE(bad.ok());
    EXPECT_EQ(bad.error().where.file, "kernel.cl");
    EXPECT_EQ(bad.error().where.line, 2u);
}

TEST(Compile, EveryErrorIsToldEachAtItsPlace) {
    auto ptx =
        compile(text("__global__ void k(int* p) {\n    p[0] = nothing;\n    p[1] = 2\n}\n__global__ void l(int* p) {\n"
                     "    absent(p);\n}\n"));
    ASSERT_FALSE(ptx.ok());
    const Error& error = ptx.error();
    EXPECT_EQ(error.kind, ErrorKind::input);
    EXPECT_EQ(error.where.text(), "kernel.cu:2:12");
    EXPECT_EQ(error.text(),
              "kernel.cu:2:12: error: use of undeclared identifier 'nothing' (3 errors)\n"
              "  kernel.cu:3:13: error: expected ';' after expression\n"
              "  kernel.cu:6:5: error: use of undeclared identifier 'absent'");
}

TEST(Compile, ThousandsOfErrorsAreCut) {
    std::string source = "__global__ void k(int* p) {\n";
    for (int i = 0; i < 1000; ++i) source += "p[0] = nothing" + std::to_string(i) + ";\n";
    auto ptx = compile(text(source + "}\n"));
    ASSERT_FALSE(ptx.ok());
    EXPECT_THAT(ptx.error().text(), HasSubstr("(50 errors and more)"));
}

TEST(Compile, ACompilerThatTakesTooLongIsStopped) {
    CompileOptions options;
    options.timeout_s = 0.2;
    // Each level instantiates two of the next: without a limit it would not end.
    auto request = text(
        "template <int N, long M> struct T { static constexpr long v = T<N - 1, 2 * M>::v + T<N - 1, 2 * M + 1>::v; "
        "};\n"
        "template <long M> struct T<0, M> { static constexpr long v = M; };\n"
        "__global__ void k(long* p) { p[0] = T<40, 0>::v; }\n");
    request.flags = {"-ftemplate-depth=100"};
    auto ptx = compile(request, options);
    ASSERT_FALSE(ptx.ok());
    EXPECT_EQ(ptx.error().kind, ErrorKind::limit);
    EXPECT_EQ(ptx.error().text(), "kernel.cu: error: the compiler was stopped after 0.2 s (--timeout allows more)");
}

// clang takes the types of device code from the processor that it compiles for, and AArch64's char has no sign.
TEST(Compile, CharactersHaveASignOnEveryHost) {
    const auto request = text(
        "extern \"C\" __global__ void k(int* out, const char* in) { out[0] = in[0]; out[1] = wchar_t(-1) < 0; }\n");
    const std::string wrapper = testing::TempDir() + "/clang-for-aarch64";
    // The headers of x86-64 serve where it stands for another processor.
    std::ofstream(wrapper) << "#!/bin/sh\nexec clang++-19 --target=aarch64-linux-gnu -D__x86_64__=1 "
                              "-isystem /usr/include/x86_64-linux-gnu \"$@\"\n";
    std::filesystem::permissions(wrapper, std::filesystem::perms::owner_all);
    CompileOptions elsewhere;
    elsewhere.compiler = wrapper;
    const auto there = compile(request, elsewhere);
    ASSERT_TRUE(there.ok()) << there.error().text();
    EXPECT_THAT(there->ptx, HasSubstr("ld.global.s8"));
    const auto here = compile(request);
    ASSERT_TRUE(here.ok()) << here.error().text();
    EXPECT_EQ(there->ptx, here->ptx);
    auto short_ones = text("static_assert(sizeof(wchar_t) == 2);\nextern \"C\" __global__ void k() {}\n");
    short_ones.flags = {"-fshort-wchar"};
    EXPECT_TRUE(compile(short_ones).ok());
}

TEST(Compile, NewAndDeleteNeedNoInclude) {
    const std::string kernel =
        "__global__ void k(int** p) {\n    p[0] = new int[4];\n    delete p[1];\n    delete[] p[2];\n}\n";
    for (const std::string include : {"", "#include <new>\n"}) {
        auto ptx = compile(text(include + kernel));
        ASSERT_TRUE(ptx.ok()) << ptx.error().text();
        EXPECT_THAT(ptx->ptx, Not(HasSubstr("_Znam")));
        EXPECT_THAT(ptx->ptx, HasSubstr("malloc"));
    }
}

std::size_t times(const std::string& text, const std::string& word) {
    std::size_t n = 0;
    for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += word.size()) ++n;
    return n;
}

TEST(Compile, CopiesOfSixteenBytesStayInOnePiece) {
    auto ptx = compile(text(R"(
struct __align__(16) record { int a; float b; double c; };
__global__ void k(float4* b, const float4* a, record* r, const record* s) {
    b[threadIdx.x] = a[threadIdx.x];
    r[threadIdx.x] = s[threadIdx.x];
}
)"));
    ASSERT_TRUE(ptx.ok()) << ptx.error().text();
    EXPECT_EQ(times(ptx->ptx, "ld.global.v4.u32"), 2u) << ptx->ptx;
    EXPECT_EQ(times(ptx->ptx, "st.global.v4.u32"), 2u);
    EXPECT_EQ(times(ptx->ptx, "ld.global"), 2u);
}

TEST(Compile, SharedBytesAreAsAlignedAsTheirAccessesAsk) {
    auto ptx = compile(text(R"(
__global__ void k(float4* o) {
    extern __shared__ char raw[];
    __shared__ char fixed[4096];
    __shared__ unsigned short halves[384];
    ((float4*)raw)[threadIdx.x] = o[threadIdx.x];
    ((float*)raw)[threadIdx.x + 999] = 1;
    ((float4*)fixed)[threadIdx.x] = o[threadIdx.x];
    *(float4*)&halves[threadIdx.x * 8] = o[threadIdx.x];
    __syncthreads();
    o[threadIdx.x] = ((float4*)raw)[threadIdx.x ^ 1];
    o[threadIdx.x + 64] = ((float4*)fixed)[threadIdx.x ^ 1];
    o[threadIdx.x + 128] = *(float4*)&halves[threadIdx.x * 8];
}
)"));
    ASSERT_TRUE(ptx.ok()) << ptx.error().text();
    EXPECT_EQ(times(ptx->ptx, "st.shared.v4"), 3u) << ptx->ptx;
    EXPECT_EQ(times(ptx->ptx, "ld.shared.v4"), 3u) << ptx->ptx;
    EXPECT_EQ(times(ptx->ptx, ".u8 \t"), 0u) << ptx->ptx;
    EXPECT_EQ(times(ptx->ptx, ".shared .align 16"), 3u) << ptx->ptx;
}

TEST(Compile, WhatMayBeMisalignedIsReadInSmallPieces) {
    // A copy by memcpy says nothing of the alignment of its bytes, and a packed structure has none.
    auto ptx = compile(text(R"(
struct __attribute__((packed)) packed { char c; int i; };
__global__ void k(float4* o, int n) {
    __shared__ char bytes[4096];
    __shared__ packed p[64];
    float4 v = o[threadIdx.x];
    memcpy(bytes + n, &v, sizeof v);
    p[threadIdx.x].i = n;
    __syncthreads();
    o[threadIdx.x].x = p[threadIdx.x ^ 1].i + bytes[threadIdx.x];
}
)"));
    ASSERT_TRUE(ptx.ok()) << ptx.error().text();
    EXPECT_EQ(times(ptx->ptx, "st.shared.v"), 0u) << ptx->ptx;
    EXPECT_EQ(times(ptx->ptx, "st.shared.u32"), 0u) << ptx->ptx;
    EXPECT_EQ(times(ptx->ptx, "st.shared.u64"), 0u) << ptx->ptx;
    EXPECT_GT(times(ptx->ptx, "st.shared.u8"), 0u);
}

}  // namespace compile_test
}  // namespace warpwright::compile
