// Where NVRTC is looked for, and what it makes of our kernels where the machine has it.
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "common/files.hpp"
#include "compile/kernel/includes.hpp"
#include "compile/kernel/nvrtc.hpp"

namespace warpwright::compile {
namespace nvrtc_test {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class NvrtcSearchTest : public testing::Test {
protected:
    void SetUp() override {
        root_ = fs::temp_directory_path() / ("ww-nvrtc-" + std::to_string(::getpid()));
        fs::remove_all(root_);
    }
    void TearDown() override { fs::remove_all(root_); }
    std::string put(const std::string& file, const std::string& text = "no library") {
        fs::create_directories((root_ / file).parent_path());
        std::ofstream(root_ / file) << text;
        return (root_ / file).string();
    }
    std::string at(const std::string& file) const { return (root_ / file).string(); }
    fs::path root_;
};

TEST_F(NvrtcSearchTest, wheels_come_before_toolkits_before_the_loader_and_newer_before_older) {
    const auto old = put("site/nvidia/cuda_nvrtc/lib/libnvrtc.so.12");
    put("site/nvidia/cuda_nvrtc/lib/libnvrtc-builtins.so.12.8");
    put("site/nvidia/cuda_nvrtc/lib/libnvrtc.alt.so.12");
    const auto fresh = put("site/nvidia/cu13/lib/libnvrtc.so.13");
    const auto nine = put("cuda-12.9/lib64/libnvrtc.so.12.9"), ten = put("cuda-12.9/lib64/libnvrtc.so.12.10");
    NvrtcSearch search;
    search.packages = {at("site")};
    search.toolkits = {at("nothing"), at("cuda-*")};
    search.loader = false;
    EXPECT_THAT(nvrtc_candidates(search), ElementsAre(fresh, old, ten, nine));
    search.loader = true;
    EXPECT_THAT(nvrtc_candidates(search).back(), "libnvrtc.so");
}

TEST_F(NvrtcSearchTest, what_the_user_names_is_the_only_place) {
    const auto library = put("mine/lib64/libnvrtc.so.12");
    put("site/nvidia/cu13/lib/libnvrtc.so.13");
    NvrtcSearch search;
    search.packages = {at("site")};
    search.own = at("mine");
    EXPECT_THAT(nvrtc_candidates(search), ElementsAre(library));
    search.own = at("mine/lib64/libother.so");
    EXPECT_THAT(nvrtc_candidates(search), ElementsAre(at("mine/lib64/libother.so")));
}

TEST_F(NvrtcSearchTest, headers_lie_beside_the_library) {
    const auto wheel = put("site/nvidia/cuda_nvrtc/lib/libnvrtc.so.12");
    put("site/nvidia/cuda_runtime/include/cuda_fp16.h");
    EXPECT_THAT(nvrtc_headers(wheel), ElementsAre(at("site/nvidia/cuda_runtime/include")));
    const auto toolkit = put("cuda/lib64/libnvrtc.so.13");
    put("cuda/include/cuda_fp16.h");
    put("cuda/include/cccl/cuda/std/cstdint");
    EXPECT_THAT(nvrtc_headers(toolkit), ElementsAre(at("cuda/include"), at("cuda/include/cccl")));
}

TEST_F(NvrtcSearchTest, none_is_an_error_that_says_what_to_do) {
    NvrtcSearch search;
    search.loader = false;
    auto none = Nvrtc::open(search, 0);
    ASSERT_FALSE(none.ok());
    EXPECT_EQ(none.error().kind, ErrorKind::no_device);
    EXPECT_THAT(none.error().text(), testing::AllOf(HasSubstr("NVRTC was not found"), HasSubstr("WARPWRIGHT_NVRTC")));
    search.own = put("libnvrtc.so.12");
    EXPECT_THAT(Nvrtc::open(search, 0).error().text(), HasSubstr("libnvrtc.so.12"));
}

TEST_F(NvrtcSearchTest, includes_are_followed_from_file_to_file) {
    const auto a = put("k/a.cuh", "#include \"sub/b.cuh\"\n#include <cuda_fp16.h>\n");
    const auto b = put("k/sub/b.cuh", "#pragma once\n # include \"../a.cuh\"\n");
    const auto c = put("other/c.cuh", "");
    auto found = local_includes(at("k/k.cu"), "#include \"a.cuh\"\n#include <c.cuh>\nint x;\n", {at("other")});
    ASSERT_TRUE(found.has_value());
    EXPECT_THAT(*found, ElementsAre(a, b, c));
    EXPECT_FALSE(local_includes(at("k/k.cu"), "#include HEADER\n", {}).has_value());
}

TEST(Clang, the_newest_architecture_that_runs_on_a_device) {
    EXPECT_EQ(clang_architecture(90), "sm_90a");
    EXPECT_EQ(clang_architecture(100), "sm_90");
    EXPECT_EQ(clang_architecture(88), "sm_87");
    EXPECT_EQ(clang_architecture(75), "sm_75");
    EXPECT_EQ(clang_architecture(35), "");
}

TEST(Fallback, without_nvrtc_clang_compiles_and_says_so) {
    CompileRequest request;
    request.path = "k.cu";
    request.text = "__global__ void k(int* out) { out[threadIdx.x] = 1; }";
    auto compiled = compile_for_device(request, 80, nullptr, {});
    ASSERT_TRUE(compiled.ok()) << compiled.error().text();
    EXPECT_EQ(compiled->compiler, "clang for sm_80 (no NVRTC)");
    EXPECT_THAT(compiled->ptx, HasSubstr(".target sm_80"));
    EXPECT_EQ(compile_for_device(request, 30, nullptr, {}).error().kind, ErrorKind::no_device);
}

/// Only where the machine has NVRTC; no GPU is needed.
class NvrtcTest : public testing::Test {
protected:
    void SetUp() override {
        auto opened = Nvrtc::open(NvrtcSearch::of_machine(), 0);
        if (!opened) GTEST_SKIP() << opened.error().text();
        nvrtc_ = *opened;
    }
    std::shared_ptr<const Nvrtc> nvrtc_;
};

TEST_F(NvrtcTest, a_kernel_becomes_ptx_for_the_device) {
    CompileRequest request;
    request.path = "k.cu";
    request.text = "__global__ void k(float* out, int n) { if (threadIdx.x < n) out[threadIdx.x] = FACTOR; }";
    request.defines = {"FACTOR=2.5f"};
    auto compiled = compile_for_device(request, 90, nvrtc_.get(), {});
    ASSERT_TRUE(compiled.ok()) << compiled.error().text();
    EXPECT_THAT(compiled->compiler, StartsWith("NVRTC "));
    EXPECT_THAT(compiled->compiler, HasSubstr(" for compute_90a"));
    EXPECT_THAT(compiled->ptx, HasSubstr(".target sm_90a"));
    EXPECT_THAT(compiled->entries, ElementsAre("_Z1kPfi"));
}

TEST_F(NvrtcTest, errors_have_their_place) {
    CompileRequest request;
    request.path = "bad.cu";
    request.text = "__global__ void k(float* out)\n{\n  out[0] = nothing;\n}\n";
    auto compiled = compile_for_device(request, 90, nvrtc_.get(), {});
    ASSERT_FALSE(compiled.ok());
    EXPECT_EQ(compiled.error().kind, ErrorKind::input);
    EXPECT_THAT(compiled.error().text(), HasSubstr("bad.cu:3: error: identifier \"nothing\" is undefined"));
}

TEST_F(NvrtcTest, a_header_it_lacks_sends_the_source_to_clang) {
    CompileRequest request;
    request.path = "k.cu";
    request.text = "#include <warpwright/bits.h>\n__global__ void k(int* out) { out[0] = 1; }";
    auto compiled = compile_for_device(request, 80, nvrtc_.get(), {});
    ASSERT_TRUE(compiled.ok()) << compiled.error().text();
    EXPECT_THAT(compiled->compiler, StartsWith("clang for sm_80 (NVRTC "));
}

TEST_F(NvrtcTest, one_newer_than_the_driver_is_not_taken) {
    auto older = Nvrtc::open(NvrtcSearch::of_machine(), 1000);
    ASSERT_FALSE(older.ok());
    EXPECT_EQ(older.error().kind, ErrorKind::no_device);
}

TEST_F(NvrtcTest, every_kernel_of_the_ladders_compiles) {
    unsigned count = 0;
    for (const auto& entry : fs::recursive_directory_iterator(WARPWRIGHT_SOURCE_DIR "/kernels")) {
        // Kernels of libraries are compiled when Warpwright is built, with what their CMake list defines.
        if (entry.path().extension() != ".cu" || !fs::exists(entry.path().parent_path() / "ladder.toml")) continue;
        // Whole programs have host code, which NVRTC does not take.
        if (test::text_of(entry.path()).find("int main(") != std::string::npos) continue;
        CompileRequest request;
        request.path = entry.path().string();
        request.defines = {"TILE=16", "BLOCK=256"};
        auto compiled = nvrtc_->compile(request, nvrtc_->architecture(90), {});
        EXPECT_TRUE(compiled.ok()) << compiled.error().text();
        ++count;
    }
    EXPECT_GT(count, 10u);
}

TEST_F(NvrtcTest, what_was_compiled_is_kept_until_an_included_file_changes) {
    const auto folder = fs::temp_directory_path() / ("ww-nvrtc-cache-" + std::to_string(::getpid()));
    fs::create_directories(folder);
    std::ofstream(folder / "a.cuh") << "#define VALUE 1\n";
    std::ofstream(folder / "k.cu") << "#include \"a.cuh\"\n__global__ void k(int* out) { out[0] = VALUE; }\n";
    CompileRequest request;
    request.path = (folder / "k.cu").string();
    CompileOptions options;
    options.cache_dir = (folder / "cache").string();
    const auto compile = [&] {
        auto compiled = nvrtc_->compile(request, nvrtc_->architecture(90), options);
        EXPECT_TRUE(compiled.ok()) << compiled.error().text();
        return std::move(*compiled);
    };
    EXPECT_FALSE(compile().from_cache);
    EXPECT_TRUE(compile().from_cache);
    std::ofstream(folder / "a.cuh") << "#define VALUE 4711\n";
    auto changed = compile();
    EXPECT_FALSE(changed.from_cache);
    EXPECT_THAT(changed.ptx, HasSubstr("4711"));
    fs::remove_all(folder);
}

}  // namespace nvrtc_test
}  // namespace warpwright::compile
