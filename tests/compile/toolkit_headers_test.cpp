// Our headers beside a toolkit's: a small stand-in that breaks everything that reads it, and the installed one where
// there is one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "compile/kernel/compile.hpp"
#include "compile/toolkit_headers.hpp"
#include "support/temporary_folder.hpp"

namespace warpwright::compile {
namespace toolkit_headers_test {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class ToolkitHeaders : public testing::Test {
protected:
    void SetUp() override {
        // Its own runtime headers are of another kind; what only it has includes them by "...", as cublas_api.h does.
        const char* clash =
            "struct char1 { int other; };\nenum cudaRoundMode { cudaRoundNearest };\n#error a toolkit's\n";
        for (const char* name :
             {"cuda_runtime_api.h", "cuda_runtime.h", "vector_types.h", "driver_types.h", "device_types.h",
              "cuComplex.h", "cuda_fp16.h", "cooperative_groups.h", "crt/host_defines.h"})
            write(name, clash);
        write("some_library.h",
              "#include \"driver_types.h\"\n#include \"cuComplex.h\"\n#include <cuda_fp16.h>\n"
              "#include \"crt/host_defines.h\"\n#include \"device_types.h\"\n"
              "struct cublasContext { cuComplex alpha; cudaStream_t stream; __half half; };\n");
        write("cccl/thrust/version.h", "#define THRUST_VERSION 300000\n");
    }

    void write(const std::string& name, const std::string& text) {
        const fs::path file = include_ / name;
        fs::create_directories(file.parent_path());
        std::ofstream(file) << text;
    }

    Result<CompiledPtx> compile_with(const std::vector<std::string>& flags, const std::string& text) {
        CompileRequest request;
        request.path = "k.cu";
        request.text = text;
        request.flags = flags;
        return compile(request);
    }

    TemporaryFolder folder_{"toolkit"};
    fs::path include_ = fs::path(folder_.path()) / "tool kit" / "include";
    const std::string source_ =
        "#include <cuda_runtime.h>\n#include <some_library.h>\n#include <thrust/version.h>\n#include "
        "<cooperative_groups.h>\n"
        "__global__ void k(cublasContext* c) { c->alpha.x = THRUST_VERSION; c->half = __float2half(1.0f); }\n";
};

TEST_F(ToolkitHeaders, oursWinWholeHoweverTheFolderIsNamed) {
    const std::string d = include_.string(), relative = fs::relative(include_).string();
    for (const auto& flags : std::vector<std::vector<std::string>>{
             {"-I" + d}, {"-I", d}, {"-isystem", d + "/"}, {"-I" + relative}, {"-I" + d + "/../include/."}}) {
        auto ptx = compile_with(flags, source_);
        EXPECT_TRUE(ptx.ok()) << flags[0] << ": " << (ptx.ok() ? "" : ptx.error().text());
    }
}

TEST_F(ToolkitHeaders, toolkitsStandBehindTheProgramsOwnFolders) {
    const std::string d = include_.string();
    EXPECT_THAT(toolkits_last({"-I" + d, "-DX", "-I", "mine"}),
                ElementsAre("-DX", "-I", "mine", "-isystem", d + "/cccl", "-isystem", d));
    EXPECT_FALSE(holds_toolkit_headers(WARPWRIGHT_SOURCE_DIR "/toolchain/include"));
}

TEST_F(ToolkitHeaders, guardsOfCudasHeadersAreDefined) {
    auto ptx = compile_with(
        {},
        "#if !defined(__DRIVER_TYPES_H__) || !defined(__CUDA_RUNTIME_H__) || !defined(__CUDA_RUNTIME_API_H__)\n"
        "#error missing\n#endif\n"
        "#if !defined(__VECTOR_TYPES_H__) || !defined(__DEVICE_LAUNCH_PARAMETERS_H__) || defined(__cuda_cuda_h__)\n"
        "#error other\n#endif\n"
        "#include <cuda.h>\n#ifndef __cuda_cuda_h__\n#error driver\n#endif\n"
        "inline const char* name(CUresult e) { const char* n; cuGetErrorName(e, &n); return n; }\n"
        "__global__ void k() {}\n");
    EXPECT_TRUE(ptx.ok()) << ptx.error().text();
}

TEST_F(ToolkitHeaders, whatTheBuildMakesIsFoundWithTheOthers) {
    std::ifstream list(WARPWRIGHT_SOURCE_DIR "/cmake/made_headers.cmake");
    const std::string text(std::istreambuf_iterator<char>(list), {});
    const auto from = text.find("foreach(row") + 11, to = text.find(')', from);
    ASSERT_LT(to, text.size());
    std::istringstream rows(text.substr(from, to - from));
    std::string source;
    unsigned count = 0;
    for (std::string row; rows >> row; ++count) {
        std::erase(row, '"');
        const auto name = row.substr(0, row.find('|'));
        source += "#include <" + name + ">\n";
        EXPECT_FALSE(fs::exists(WARPWRIGHT_SOURCE_DIR "/toolchain/include/" + name)) << name;
    }
    EXPECT_GT(count, 40u);
    auto ptx =
        compile_with({}, source +
                             "#if !defined(__CUDA_PROFILER_API_H__) || !defined(__TEXTURE_TYPES_H__)\n"
                             "#error missing\n#endif\n"
                             "__global__ void k(__half* h) { using namespace nvcuda; *h = __float2half(1.0f); }\n");
    EXPECT_TRUE(ptx.ok()) << ptx.error().text();
}

TEST_F(ToolkitHeaders, aHeaderOfADistributionsPackageIsNamedWithIt) {
    EXPECT_THAT(missing_header_hint("thrust/sort.h"), testing::HasSubstr("in the package libthrust-dev"));
    EXPECT_THAT(missing_header_hint("cub/cub.cuh"), testing::HasSubstr("in the package libcub-dev"));
}

TEST_F(ToolkitHeaders, aHeaderThatOnlyAToolkitHasIsToldAbout) {
    auto ptx = compile_with({}, "#include <curand_nothing.h>\n__global__ void k() {}\n");
    ASSERT_FALSE(ptx.ok());
    EXPECT_EQ(ptx.error().where.line, 1u);
    EXPECT_THAT(ptx.error().hint, HasSubstr("--cuda-path"));
    EXPECT_EQ(missing_header_hint("mine.h"), "");
}

TEST_F(ToolkitHeaders, partsOfLibcuComeWithoutAToolkit) {
    for (const char* arch : {"sm_70", "sm_80", "sm_90"}) {
        CompileRequest request;
        request.path = "k.cu";
        request.arch = arch;
        request.text =
            "#include <cooperative_groups.h>\n#include <cuda/atomic>\n#include <cuda/barrier>\n#include "
            "<cuda/pipeline>\n"
            "#include <cuda/latch>\n#include <cuda/semaphore>\n#include <cuda/std/tuple>\n#include "
            "<cuda/std/type_traits>\n"
            "#include <cuda/std/limits>\n#include <cuda/std/array>\n#include <cuda/std/cmath>\n#include "
            "<cuda/functional>\n"
            "#include <cuda/cmath>\n#include <nv/target>\n"
            "__global__ void k(int* p) {\n"
            "    cuda::atomic_ref<int, cuda::thread_scope_device> r(*p);\n"
            "    r.fetch_add(cuda::ceil_div(5, 2), cuda::std::memory_order_relaxed);\n"
            "    cuda::atomic_ref<int, cuda::thread_scope_block>(p[1]).fetch_max(3, cuda::memory_order_acquire);\n"
            "    p[2] = cuda::std::get<0>(cuda::std::make_tuple(1)) + cuda::std::numeric_limits<int>::max();\n}\n";
        auto ptx = compile(request);
        ASSERT_TRUE(ptx.ok()) << arch << ": " << ptx.error().text();
        EXPECT_THAT(ptx->ptx, HasSubstr("atom.relaxed.gpu.add.u32"));
        EXPECT_THAT(ptx->ptx, HasSubstr("atom.acquire.cta.max.s32"));
    }
}

TEST_F(ToolkitHeaders, aBarrierInSharedMemoryIsOursWhereTheToolkitsHasAConstructor) {
    write("cccl/cuda/barrier",
          "namespace cuda {\nenum thread_scope { thread_scope_block };\n"
          "template <thread_scope> struct barrier { int left = 0; };\n}\n");
    const std::string kernel =
        "#include <cuda/barrier>\n__global__ void k(int* p) {\n"
        "    __shared__ cuda::barrier<cuda::thread_scope_block> b;\n    p[0] = sizeof b;\n}\n";
    auto ptx = compile_with({"-I" + include_.string()}, kernel);
    ASSERT_TRUE(ptx.ok()) << ptx.error().text();
    EXPECT_THAT(ptx->ptx, HasSubstr(", 8;"));
    // Where ours does not help the first error stands.
    auto own = compile_with({"-I" + include_.string()},
                            kernel + "struct s { int i = 1; };\n__global__ void l() { __shared__ s v; }\n");
    ASSERT_FALSE(own.ok());
    EXPECT_EQ(own.error().where.line, 3u);
}

/// The toolkit of this machine, if it has one.
class InstalledToolkit : public ToolkitHeaders {
protected:
    void SetUp() override {
        for (const char* folder : {"/usr/local/cuda/include", "/usr/include"})
            if (installed_.empty() && holds_toolkit_headers(folder)) installed_ = folder;
        if (installed_.empty()) GTEST_SKIP() << "no CUDA toolkit is installed";
    }
    std::string installed_;
};

TEST_F(InstalledToolkit, thrustCubCublasAndCurandCompile) {
    if (!fs::exists(installed_ + "/curand_kernel.h")) GTEST_SKIP() << "the toolkit has no cuRAND";
    auto random =
        compile_with({"-I" + installed_},
                     "#include <curand_kernel.h>\n#include <cublas_v2.h>\n"
                     "__global__ void k(float* p) {\n    curandState s;\n    curand_init(1, threadIdx.x, 0, &s);\n"
                     "    p[threadIdx.x] = curand_uniform(&s) + curand_normal(&s);\n}\n");
    EXPECT_TRUE(random.ok()) << random.error().text();
    if (!fs::exists(installed_ + "/cccl/cub/cub.cuh") && !fs::exists(installed_ + "/cub/cub.cuh"))
        GTEST_SKIP() << "the toolkit has no CUB";
    auto cub = compile_with({"-I" + installed_},
                            "#include <cub/block/block_reduce.cuh>\n#include <cuda/std/tuple>\n"
                            "__global__ void k(int* p) {\n    __shared__ cub::BlockReduce<int, 128>::TempStorage t;\n"
                            "    p[0] = cub::BlockReduce<int, 128>(t).Sum(p[threadIdx.x]);\n}\n");
    EXPECT_TRUE(cub.ok()) << cub.error().text();
}

}  // namespace toolkit_headers_test
}  // namespace warpwright::compile
