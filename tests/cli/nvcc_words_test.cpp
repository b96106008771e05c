// What nvcc takes, `warpwright build` takes: its words, and programs built by them.
#include <gmock/gmock.h>

#include <fstream>

#include "cli/commands/whole_program.hpp"
#include "cli/options/nvcc_words.hpp"
#include "common/program.hpp"

namespace warpwright::cli {
namespace nvcc_words_test {

using test::program;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Words = std::vector<std::string>;

Words ours(const Words& nvcc) {
    auto made = nvcc_words(nvcc);
    return made ? *made : Words{"error: " + made.error().text()};
}

TEST(NvccWords, each_form_of_an_option) {
    EXPECT_THAT(ours({"a.cu", "-o", "a"}), ElementsAre("a.cu", "--output=a"));
    EXPECT_THAT(ours({"-oa", "--output-file=b", "--output-file", "c"}),
                ElementsAre("--output=a", "--output=b", "--output=c"));
    EXPECT_THAT(ours({"-I", "x", "-Iy", "-I=z", "--include-path=w"}),
                ElementsAre("--include=x", "--include=y", "--include=z", "--include=w"));
    EXPECT_THAT(ours({"-DN=4", "-D", "M=a=b", "-UK"}),
                ElementsAre("--define=N=4", "--define=M=a=b", "--compile-flag=-UK"));
    EXPECT_THAT(ours({"-std=c++20", "-std", "c++14", "--std=c++17"}),
                ElementsAre("--compile-flag=-std=c++20", "--compile-flag=-std=c++14", "--compile-flag=-std=c++17"));
    EXPECT_THAT(ours({"-lineinfo", "-Xptxas", "-v", "-Xptxas=-O3,-v", "-maxrregcount=32", "-G", "-cudart", "static"}),
                IsEmpty());
    EXPECT_THAT(
        ours({"-L/lib", "-lcublas", "-isystem", "i", "-include", "h", "-x", "cu"}),
        ElementsAre("--compile-flag=-L/lib", "--compile-flag=-lcublas", "--compile-flag=-isystem", "--compile-flag=i",
                    "--compile-flag=-include", "--compile-flag=h", "--compile-flag=-x", "--compile-flag=cu"));
    EXPECT_THAT(
        ours({"--use_fast_math", "-fmad=false", "--prec-div", "true"}),
        ElementsAre("--compile-flag=-use_fast_math", "--compile-flag=-fmad=false", "--compile-flag=-prec-div=true"));
    EXPECT_THAT(ours({"-rdc=true"}), ElementsAre("--compile-flag=-rdc=true"));
    EXPECT_THAT(ours({"-rdc", "false"}), IsEmpty());
}

TEST(NvccWords, the_host_and_the_linker_have_their_own) {
    // nvcc optimises kernels whatever -O says.
    EXPECT_THAT(ours({"-O0", "-g", "-Xcompiler", "-Wall,-fopenmp", "--compiler-options=-march=native"}),
                ElementsAre("--host-flag=-O0", "--host-flag=-g", "--host-flag=-Wall", "--host-flag=-fopenmp",
                            "--host-flag=-march=native"));
    EXPECT_THAT(ours({"-Xlinker", "-rpath,/lib"}), ElementsAre("--compile-flag=-Wl,-rpath", "--compile-flag=-Wl,/lib"));
    EXPECT_THAT(ours({"-forward-unknown-to-host-compiler", "-Wextra", "--timeout", "9"}),
                ElementsAre("--host-flag=-Wextra", "--timeout", "9"));
    EXPECT_THAT(ours({"-MD", "-MF", "a.d"}), ElementsAre("--host-flag=-MD", "--host-flag=-MF", "--host-flag=a.d"));
}

TEST(NvccWords, the_highest_architecture_counts) {
    EXPECT_THAT(ours({"-arch=sm_90"}), ElementsAre("--compile-flag=-arch=sm_90"));
    EXPECT_THAT(ours({"-gencode", "arch=compute_80,code=[sm_80,compute_80]", "-gencode=arch=compute_75,code=sm_75"}),
                ElementsAre("--compile-flag=-arch=sm_80"));
    EXPECT_THAT(ours({"-gencode=arch=compute_90,code=sm_90", "-gencode=arch=compute_90a,code=sm_90a"}),
                ElementsAre("--compile-flag=-arch=sm_90a"));
    EXPECT_THAT(ours({"-arch", "compute_90", "-code=sm_90,compute_90"}), ElementsAre("--compile-flag=-arch=sm_90"));
    EXPECT_THAT(ours({"-arch=native"}), IsEmpty());
}

TEST(NvccWords, our_own_stay_as_they_are) {
    EXPECT_THAT(
        ours({"--compile-flag", "-O0", "--compile-flag=-lz", "--cuda-path", "-dir", "--untrusted", "--help"}),
        ElementsAre("--compile-flag", "-O0", "--compile-flag=-lz", "--cuda-path", "-dir", "--untrusted", "--help"));
}

TEST(NvccWords, warnings_are_asked_for_in_either_way) {
    EXPECT_THAT(ours({"-Wall", "-Xcompiler", "-Wextra", "a.cu"}),
                ElementsAre("--compile-flag=-Wall", "--host-flag=-Wextra", "a.cu"));
}

TEST(NvccWords, what_build_does_not_make_is_refused) {
    const auto refused = [](const Words& words, const std::string& says) {
        const auto o = program(words);
        EXPECT_EQ(o.code, 2) << says;
        EXPECT_THAT(o.error, HasSubstr(says));
    };
    refused({"build", "a.cu", "-ptx"}, "'-ptx': warpwright build makes programs");
    refused({"build", "a.cu", "--default-stream", "own"}, "there is no default stream 'own'");
    refused({"build", "-optf", "/nowhere/words"}, "/nowhere/words");
    refused({"build", "a.cu", "-o"}, "-o needs a value");
    refused({"build", "a.cu", "-mavx2"}, "-Xcompiler -mavx2 gives it to the host's compiler");
}

TEST(NvccWords, files_have_words_too) {
    const test::Folder folder("optf");
    const auto more = (folder / "more").string();
    std::ofstream(folder / "words") << "-DN=4 '-DTEXT=\"a b\"'\n\t-I \"of x\" -optf " << more << "\n";
    std::ofstream(more) << "-D\\ M --default-stream per-thread -shared";
    EXPECT_THAT(ours({"-O3", "-optf", (folder / "words").string(), "a.cu"}),
                ElementsAre("--host-flag=-O3", "--define=N=4", "--define=TEXT=\"a b\"", "--include=of x", "--define= M",
                            "--compile-flag=--default-stream=per-thread", "--compile-flag=-shared", "a.cu"));
    std::ofstream(more) << "-optf=" << more;
    EXPECT_THAT(ours({"--options-file=" + more}), ElementsAre(HasSubstr("name each other without end")));
}

/// Stream 0 can be captured where it is the thread's own, and a kernel without a named stream is then in the graph.
TEST(NvccWords, a_library_whose_stream_0_is_the_threads_own) {
    const test::Folder folder("shared");
    std::ofstream(folder / "lib.cu") << R"(
__global__ void k(int* out) { *out = 42; }
extern "C" size_t captured() {
    int* d;
    cudaMalloc(&d, sizeof *d);
    if (cudaStreamBeginCapture(0, cudaStreamCaptureModeRelaxed) != cudaSuccess) return 0;
    k<<<1, 1>>>(d);
    cudaGraph_t graph;
    cudaStreamEndCapture(0, &graph);
    size_t nodes = 0;
    cudaGraphGetNodes(graph, nullptr, &nodes);
    return nodes;
}
extern "C" int result() {
    int *d, h = 0;
    cudaMalloc(&d, sizeof h);
    k<<<1, 1>>>(d);
    cudaMemcpy(&h, d, sizeof h, cudaMemcpyDeviceToHost);
    return h;
})";
    std::ofstream(folder / "main.cpp") << R"(#include <cstdio>
extern "C" size_t captured();
extern "C" int result();
int main() { std::printf("%zu %d\n", captured(), result()); })";
    const auto library = (folder / "libown.so").string(), app = (folder / "app").string();
    for (const char* which : {"legacy", "per-thread"}) {
        const auto built = program({"build", (folder / "lib.cu").string(), "-shared", "-Xcompiler", "-fPIC",
                                    "--default-stream", which, "-o", library});
        ASSERT_EQ(built.code, 0) << built.error;
        const auto linked = program({"build", (folder / "main.cpp").string(), library, "-o", app});
        ASSERT_EQ(linked.code, 0) << linked.error;
        const auto ran = test::shell(app);
        EXPECT_EQ(ran.code, 0) << ran.error;
        EXPECT_EQ(ran.out, std::string(which) == "legacy" ? "0 42\n" : "1 42\n");
    }
}

TEST(NvccWords, a_program_is_built_by_them) {
    const test::Folder folder("nvcc");
    std::filesystem::create_directory(folder / "inc");
    std::ofstream(folder / "inc/scale.h") << "#pragma once\n__device__ int scaled(int x);\n";
    std::ofstream(folder / "scale.cu") << "#include \"scale.h\"\n__device__ int scaled(int x) { return x * FACTOR; }\n";
    std::ofstream(folder / "main.cu") << R"(#include <concepts>
#include <cstdio>
#include "scale.h"
__global__ void k(int* out) { out[threadIdx.x] = scaled(threadIdx.x); }
template <std::integral T> T own(T x) { return x; }
int main() {
    int *d, h[32];
    cudaMalloc(&d, sizeof h);
    k<<<1, 32>>>(d);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
#ifdef HOST_ONLY
    std::printf("%d %d\n", own(h[31]), HOST_ONLY);
#endif
})";
    const auto app = (folder / "app").string();
    const Words words{"build",      (folder / "main.cu").string(),
                      "-rdc=true",  (folder / "scale.cu").string(),
                      "-O3",        "-std=c++20",
                      "-I",         (folder / "inc").string(),
                      "-DFACTOR=3", "-lineinfo",
                      "-gencode",   "arch=compute_80,code=sm_80",
                      "-Xcompiler", "-DHOST_ONLY=7,-Wall",
                      "-lcudart",   "-o",
                      app};
    const auto built = program(words);
    ASSERT_EQ(built.code, 0) << built.error;
    const auto ran = test::shell(app);
    EXPECT_EQ(ran.code, 0) << ran.error;
    EXPECT_EQ(ran.out, "93 7\n");
}

/// A project as makefiles build it: an object of each file, one of the linked device code, the host's own linker.
class SeparateCompilation : public testing::Test {
protected:
    void SetUp() override {
        file("table.cu", R"(
__device__ int table[32];
__device__ int scaled(int x) { return x * 3 + table[x]; }
__managed__ int calls = 5;
__global__ void fill() { table[threadIdx.x] = 100; }
static __global__ void own(int* x) { *x = 1000; }
void fill_table() {
    int* x = 0;
    cudaGetSymbolAddress((void**)&x, table);
    fill<<<1, 32>>>(), own<<<1, 1>>>(x);
}
int* the_calls() { return &calls; })");
        file("main.cu", R"(#include <cstdio>
__device__ int scaled(int x);
extern __device__ int table[32];
void fill_table();
extern __managed__ int calls;
int* the_calls();
static __global__ void own(int* x) { *x += 1; }
__global__ void k(int* out) { out[threadIdx.x] = scaled(threadIdx.x); table[threadIdx.x] = 0; }
int main() {
    int *d, h[32], again[32];
    cudaMalloc(&d, sizeof h);
    fill_table();
    k<<<1, 32>>>(d);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    own<<<1, 1>>>(&calls);
    cudaDeviceSynchronize();
    k<<<1, 32>>>(d);
    cudaMemcpy(again, d, sizeof h, cudaMemcpyDeviceToHost);
    std::printf("%d %d %d %d %d %s\n", h[0], h[31], again[31], *the_calls(), calls, cudaGetErrorName(cudaGetLastError()));
})");
        for (const char* source : {"table", "main"}) ok({"build", "-dc", in(source) + ".cu", "-o", in(source) + ".o"});
    }
    void file(const std::string& name, const std::string& text) { std::ofstream(folder_ / name) << text; }
    std::string in(const std::string& name) const { return (folder_ / name).string(); }
    static void ok(const Words& words) {
        const auto o = program(words);
        EXPECT_EQ(o.code, 0) << o.error;
    }
    static void refused(const Words& words, const std::string& says) {
        const auto o = program(words);
        EXPECT_NE(o.code, 0);
        EXPECT_THAT(o.error, HasSubstr(says));
    }
    /// What the host's compiler says that links the files, and then the program.
    static test::Said by_host(const std::string& files, const std::string& app) {
        const auto folders = cudart_folders();
        if (!folders) return {1, "", folders.error().text()};
        const std::string at = folders->front();
        return test::shell("c++ " + files + " -o " + app + " -L" + at + " -lcudart -Wl,-rpath," + at + " 2>&1 && " +
                           app);
    }
    static constexpr const char* kRight = "1000 193 93 6 6 cudaSuccess\n";
    test::Folder folder_{"separate"};
};

TEST_F(SeparateCompilation, the_hosts_linker_makes_the_program) {
    ok({"build", "-dlink", in("main.o"), in("table.o"), "-o", in("linked.o")});
    const auto ran = by_host(in("main.o") + " " + in("table.o") + " " + in("linked.o"), in("app"));
    EXPECT_EQ(ran.out, kRight) << ran.error;
    // Without the linked device code there is no program.
    const auto not_linked = by_host(in("main.o") + " " + in("table.o"), in("none"));
    EXPECT_NE(not_linked.code, 0);
    EXPECT_THAT(not_linked.out, HasSubstr("__warpwright_linked_code"));
}

TEST_F(SeparateCompilation, archives_hold_parts_of_device_code) {
    ok({"build", "-lib", in("table.o"), "-o", in("libtable.a")});
    ok({"build", "-dlink", in("main.o"), in("libtable.a"), "-o", in("linked.o")});
    const auto ran = by_host(in("main.o") + " " + in("linked.o") + " " + in("libtable.a"), in("app"));
    EXPECT_EQ(ran.out, kRight) << ran.error;
    // What links the program links its device code first, as nvcc does.
    ok({"build", in("main.o"), "-L" + in(""), "-ltable", "-o", in("whole")});
    EXPECT_EQ(test::shell(in("whole")).out, kRight);
    // Sources may stand among the objects of an archive, with their device code whole.
    file("alone.cu",
         "__global__ void one(int* x) { *x = 1; }\n"
         "extern \"C\" int one_of() { int *d, h = 0; cudaMalloc(&d, 4); one<<<1, 1>>>(d);"
         " cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost); return h; }\n");
    file("caller.cpp",
         "#include <cstdio>\nextern \"C\" int one_of();\nint main() { std::printf(\"%d\", one_of()); }\n");
    ok({"build", "-lib", in("alone.cu"), "-o", in("libalone.a")});
    const auto alone = by_host(in("caller.cpp") + " " + in("libalone.a"), in("alone"));
    EXPECT_EQ(alone.out, "1") << alone.error;
}

/// A program that links a kernel of its own with the device code of an object or an archive while it runs, by both
/// linkers.
constexpr const char* kLinksAtRunTime = R"(#include <cuda.h>
#include <nvJitLink.h>
#include <cstdio>
#include <cstring>
#include <string>
static const char kernel[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".extern .func (.param .b32 r) _Z6scaledi(.param .b32 x);\n"
    ".visible .entry k(.param .u64 p) {\n .reg .b32 %r<3>; .reg .b64 %rd<2>; ld.param.u64 %rd1, [p]; mov.b32 %r1, 7;\n"
    " { .param .b32 x; .param .b32 r; st.param.b32 [x], %r1; call.uni (r), _Z6scaledi, (x); ld.param.b32 %r2, [r]; }\n"
    " st.global.u32 [%rd1], %r2; ret; }\n";
static void run(const void* code) {
    CUmodule module; CUfunction f; CUdeviceptr d; int out = 0;
    if (cuModuleLoadData(&module, code) || cuModuleGetFunction(&f, module, "k") || cuMemAlloc(&d, 4)) return;
    void* p[] = {&d};
    cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, p, 0);
    const int copied = cuMemcpyDtoH(&out, d, 4);
    std::printf("%d %d\n", copied, out);
}
int main(int, char** a) {
    const bool archive = std::strstr(a[1], ".a");
    CUcontext context; CUlinkState state; void* image; nvJitLinkHandle link; size_t size = 0;
    const char* options[] = {"-arch=sm_90"};
    cuInit(0), cuDevicePrimaryCtxRetain(&context, 0), cuCtxSetCurrent(context);
    cuLinkCreate(0, 0, 0, &state);
    cuLinkAddData(state, CU_JIT_INPUT_PTX, (void*)kernel, sizeof kernel, "k", 0, 0, 0);
    std::printf("%d\n", cuLinkAddFile(state, archive ? CU_JIT_INPUT_LIBRARY : CU_JIT_INPUT_OBJECT, a[1], 0, 0, 0));
    if (!cuLinkComplete(state, &image, 0)) run(image);
    nvJitLinkCreate(&link, 1, options);
    nvJitLinkAddData(link, NVJITLINK_INPUT_PTX, kernel, sizeof kernel, "k");
    std::printf("%d\n", nvJitLinkAddFile(link, archive ? NVJITLINK_INPUT_LIBRARY : NVJITLINK_INPUT_OBJECT, a[1]));
    nvJitLinkComplete(link), nvJitLinkGetLinkedCubinSize(link, &size);
    std::string code(size, 0);
    nvJitLinkGetLinkedCubin(link, &code[0]);
    run(code.data());
})";

TEST_F(SeparateCompilation, linkers_of_a_running_program_read_the_parts) {
    ok({"build", "-lib", in("table.o"), "-o", in("libtable.a")});
    file("links.cpp", kLinksAtRunTime);
    const auto folders = cudart_folders();
    ASSERT_TRUE(folders) << folders.error().text();
    const std::string build = folders->front() + "/../";
    const auto app = in("links");
    const auto built = test::shell("c++ " + in("links.cpp") + " -o " + app + " -I" + WARPWRIGHT_TOOLCHAIN_INCLUDE +
                                   " " + build + "cuda/libcuda.so.1 " + build +
                                   "compilers/libnvJitLink.so.13 -Wl,-rpath," + build + "cuda:" + build + "compilers");
    ASSERT_EQ(built.code, 0) << built.error;
    for (const char* parts : {"table.o", "libtable.a"}) {
        const auto ran = test::shell(app + " " + in(parts));
        EXPECT_EQ(ran.out, "0\n0 21\n0\n0 21\n") << parts << ": " << ran.error;
    }
    // Objects and archives without such code are none that they link.
    file("host.cpp", "int host() { return 1; }\n");
    ASSERT_EQ(test::shell("c++ -c " + in("host.cpp") + " -o " + in("host.o")).code, 0);
    ok({"build", "-lib", in("host.o"), "-o", in("libhost.a")});
    for (const char* file : {"host.o", "libhost.a"}) {
        const auto none = test::shell(app + " " + in(file));
        EXPECT_THAT(none.out, testing::StartsWith("209\n")) << none.error;
        EXPECT_THAT(none.out, HasSubstr("\n8\n")) << none.error;
    }
    // NVIDIA's device runtime is known by its member's name: the emulated device has one of its own.
    ASSERT_EQ(test::shell("cp " + in("host.o") + " " + in("cuda_device_runtime.o")).code, 0);
    ok({"build", "-lib", in("cuda_device_runtime.o"), "-o", in("libother.a")});
    const auto runtime = test::shell(app + " " + in("libother.a"));
    EXPECT_THAT(runtime.out, testing::StartsWith("0\n")) << runtime.error;
    EXPECT_THAT(runtime.out, testing::Not(HasSubstr("\n8\n"))) << runtime.error;
}

TEST_F(SeparateCompilation, what_does_not_fit_together_is_said) {
    file("twice.cu", "__device__ int scaled(int x) { return x; }\n__global__ void other(int* x) { *x = scaled(1); }\n");
    ok({"build", "-dc", in("twice.cu"), "-o", in("twice.o")});
    refused({"build", "-dlink", in("table.o"), in("twice.o"), "-o", in("linked.o")}, "scaled");
    refused({"build", "-dlink", "-lib", in("table.o"), "-o", in("x")}, "exclude each other");
    refused({"build", "-dlink", in("missing.o"), "-o", in("x")}, "missing.o");
    refused({"build", "-c", in("main.cu"), in("table.cu"), "-o", in("x.o")}, "-c and 2 sources");
}

}  // namespace nvcc_words_test
}  // namespace warpwright::cli
