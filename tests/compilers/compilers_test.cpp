// The stand-ins for NVIDIA's compilers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "compile/process.hpp"
#include "compilers/nvcc/command.hpp"
#include "compilers/nvrtc/options.hpp"
#include "compilers/ptxas/assemble.hpp"

namespace warpwright {
namespace compilers_test {

using compilers::NvccCommand;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

compile::ProcessResult run(std::vector<std::string> words, const std::string& variable = "") {
    if (!variable.empty()) words.insert(words.begin(), {"/usr/bin/env", variable});
    auto ran = compile::run_process(words);
    EXPECT_TRUE(ran.ok()) << ran.error().text();
    return ran ? *ran : compile::ProcessResult{-1, 0, "", ""};
}

std::string text_of(const std::string& file) {
    std::stringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
}

class Compilers : public testing::Test {
protected:
    const std::string folder_ = testing::TempDir() + "ww-compilers-" + std::to_string(::getpid());
    void SetUp() override { std::filesystem::create_directories(folder_); }
    void TearDown() override { std::filesystem::remove_all(folder_); }
    std::string put(const std::string& name, const std::string& text) {
        std::ofstream(folder_ + "/" + name) << text;
        return folder_ + "/" + name;
    }
};

const char* const kKernel =
    ".version 8.0\n.target sm_90a\n.address_size 64\n.global .align 4 .b32 count;\n"
    ".visible .entry add(.param .u64 data, .param .u32 n)\n.maxntid 128, 1, 1\n{\n"
    " .reg .b32 %r<4>; .reg .b64 %d<4>; .shared .align 4 .b8 room[512];\n"
    " mov.u32 %r1, %tid.x; ld.param.u64 %d1, [data]; mul.wide.u32 %d2, %r1, 4; add.s64 %d3, %d1, %d2;\n"
    " st.shared.b32 [room], %r1; bar.sync 1; ld.global.u32 %r2, [%d3]; add.s32 %r3, %r2, 1; st.global.u32 [%d3], %r3; "
    "ret;\n}\n";

TEST_F(Compilers, PtxasChecksAndReports) {
    const auto ptx = put("k.ptx", kKernel);
    const auto ran = run({WARPWRIGHT_TEST_PTXAS, "-lineinfo", "-v", "--regAllocOptLevel=2", "--gpu-name=sm_90a", ptx,
                          "-o", folder_ + "/k.o"});
    EXPECT_EQ(ran.exit_code, 0) << ran.errors;
    // Loaders that take it for machine code do not hand on its length.
    EXPECT_EQ(text_of(folder_ + "/k.o"), kKernel + std::string(1, '\0'));
    EXPECT_THAT(ran.errors, HasSubstr("ptxas info    : 4 bytes gmem\n"));
    EXPECT_THAT(ran.errors, HasSubstr("Compiling entry function 'add' for 'sm_90a'\n"));
    EXPECT_THAT(ran.errors, HasSubstr("    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"));
    EXPECT_THAT(ran.errors,
                testing::ContainsRegex("Used [0-9]+ registers, used 2 barriers, 512 bytes smem, 540 bytes "));
}

TEST_F(Compilers, PtxasSaysWhereAnErrorIs) {
    const auto ptx =
        put("bad.ptx", ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k() {\n  flip.b32;\n}\n");
    const auto ran = run({WARPWRIGHT_TEST_PTXAS, "--gpu-name", "sm_90", "-o", folder_ + "/bad.o", ptx});
    EXPECT_EQ(ran.exit_code, 255);
    EXPECT_THAT(ran.errors, HasSubstr("bad.ptx, line 5; error   : "));
    EXPECT_THAT(ran.errors, HasSubstr("ptxas fatal   : Ptx assembly aborted due to errors"));
    EXPECT_FALSE(std::filesystem::exists(folder_ + "/bad.o"));
    EXPECT_EQ(run({WARPWRIGHT_TEST_PTXAS, folder_ + "/none.ptx"}).exit_code, 255);
}

// XLA asks so for the newest version of PTX, and reads it between the two quotes.
TEST_F(Compilers, PtxasSaysTheNewestVersionOfPtx) {
    const auto ran = run({WARPWRIGHT_TEST_PTXAS, "--input-as-string", ".version 99.99"});
    EXPECT_EQ(ran.exit_code, 255);
    EXPECT_EQ(ran.errors, "ptxas fatal   : Unsupported .version 99.99; current version is '9.0'\n");
    EXPECT_THAT(run({WARPWRIGHT_TEST_PTXAS, "--version"}).output, testing::ContainsRegex("V13\\.[0-9]+\\.[0-9]+"));
    const auto other = run({WARPWRIGHT_TEST_PTXAS, "--input-as-string", ".version nine"});
    EXPECT_EQ(other.exit_code, 255);
    EXPECT_THAT(other.errors, HasSubstr("ptxas application ptx input, line 1; error   : "));
}

TEST_F(Compilers, PtxasTakesATextInThePlaceOfAFile) {
    const auto ran = run({WARPWRIGHT_TEST_PTXAS, "-ias", kKernel, "-o", folder_ + "/t.o"});
    EXPECT_EQ(ran.exit_code, 0) << ran.errors;
    EXPECT_EQ(text_of(folder_ + "/t.o"), kKernel + std::string(1, '\0'));
    EXPECT_EQ(run({WARPWRIGHT_TEST_PTXAS, "-ias", kKernel, put("k.ptx", kKernel)}).exit_code, 255);
}

TEST_F(Compilers, PtxasCountsSpillsUnderALimit) {
    std::string body = ".reg .b64 %d<99>; .reg .f32 %f<99>; ld.param.u64 %d1, [p];\n";
    for (int k = 0; k < 60; ++k)
        body += "ld.volatile.global.f32 %f" + std::to_string(k) + ", [%d1+" + std::to_string(4 * k) + "];\n";
    for (int k = 0; k < 60; ++k)
        body += "st.volatile.global.f32 [%d1+" + std::to_string(400 + 4 * k) + "], %f" + std::to_string(59 - k) + ";\n";
    const auto text =
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p)\n.maxnreg 24\n{\n" + body +
        "ret;\n}\n";
    compilers::AssembleRequest request;
    request.verbose = true;
    const auto made = compilers::assemble(text, request);
    ASSERT_TRUE(made.ok) << made.log;
    EXPECT_THAT(made.log, HasSubstr("Used 24 registers"));
    EXPECT_THAT(made.log, Not(HasSubstr(" 0 bytes spill stores")));
}

TEST(PtxasWords, AreReadAsPtxasReadsThem) {
    auto r = compilers::read_ptxas_words(
        {"-O3", "--gpu-name", "sm_80", "-v", "in.ptx", "--output-file=out.o", "-maxrregcount", "32"});
    ASSERT_TRUE(r.ok()) << r.error().text();
    EXPECT_EQ(r->input, "in.ptx");
    EXPECT_EQ(r->output, "out.o");
    EXPECT_EQ(r->arch, "sm_80");
    EXPECT_TRUE(r->verbose);
    EXPECT_FALSE(compilers::read_ptxas_words({"a.ptx", "b.ptx"}).ok());
    EXPECT_FALSE(compilers::read_ptxas_words({"a.ptx", "-o"}).ok());
    EXPECT_FALSE(compilers::read_ptxas_words({}).ok());
    EXPECT_THAT(run({WARPWRIGHT_TEST_PTXAS, "--version"}).output, HasSubstr("release 13.0"));
}

TEST(NvccWords, AreReadAsNvccReadsThem) {
    auto c = compilers::read_nvcc_words(
        {"--cubin", "-arch", "sm_90", "-Ifolder", "-DN=4", "-Xptxas", "-v", "-O3", "kernel.cu"});
    ASSERT_TRUE(c.ok()) << c.error().text();
    EXPECT_EQ(c->kind, NvccCommand::Kind::cubin);
    EXPECT_EQ(c->request.path, "kernel.cu");
    EXPECT_EQ(c->request.arch, "sm_90");
    EXPECT_EQ(c->output, "kernel.cubin");
    EXPECT_THAT(c->request.include_dirs, ElementsAre("folder"));
    EXPECT_THAT(c->request.defines, ElementsAre("N=4"));
    auto p =
        compilers::read_nvcc_words({"-ptx", "-odir", "made", "-gencode", "arch=compute_100a,code=sm_100a", "a/k.cu"});
    ASSERT_TRUE(p.ok());
    EXPECT_EQ(p->output, "made/k.ptx");
    EXPECT_EQ(p->request.arch, "sm_90");
    EXPECT_EQ(compilers::read_nvcc_words({"-o", "app", "app.cu"})->kind, NvccCommand::Kind::other);
    EXPECT_FALSE(compilers::read_nvcc_words({"-ptx", "a.cu", "b.cu"}).ok());
    EXPECT_FALSE(compilers::read_nvcc_words({"-ptx"}).ok());
}

// One reader of architectures for nvcc and NVRTC: what it does not know is an error, and no other architecture.
TEST(NvrtcOptions, KeepDeviceFunctionsOfProgramsThatAreLinked) {
    const auto separate = [](const std::vector<std::string>& words) {
        const auto read = compilers::read_rtc_options(words);
        EXPECT_TRUE(read) << words[0];
        const auto& flags = read->request.flags;
        return std::find(flags.begin(), flags.end(), "-fgpu-rdc") != flags.end();
    };
    EXPECT_TRUE(separate({"-rdc=true"}));
    EXPECT_TRUE(separate({"--relocatable-device-code=true"}));
    EXPECT_TRUE(separate({"--relocatable-device-code", "true"}));
    EXPECT_TRUE(separate({"-dc", "-DA"}));
    EXPECT_TRUE(separate({"--device-c"}));
    EXPECT_FALSE(separate({"-rdc=false"}));
    EXPECT_FALSE(separate({"-DA"}));
}

TEST(Architectures, AnUnknownOneIsRefusedByBothCompilers) {
    for (const std::string word : {"sm_", "sm_20", "sm_90x", "compute", "gfx906", "", "90"}) {
        const auto nvcc = compilers::read_nvcc_words({"--ptx", "-arch=" + word, "k.cu"});
        ASSERT_FALSE(nvcc.ok()) << word;
        EXPECT_THAT(nvcc.error().text(), HasSubstr("(-arch): " + word));
        const auto rtc = compilers::read_rtc_options({"-arch=" + word});
        ASSERT_FALSE(rtc.ok()) << word;
        EXPECT_EQ(rtc.error().text(), nvcc.error().text());
        EXPECT_FALSE(compilers::read_nvcc_words({"--ptx", "-gencode", "arch=" + word + ",code=sm_90", "k.cu"}).ok());
    }
    for (const auto& [word, name] : {std::pair{"sm_80", "sm_80"}, {"compute_90a", "sm_90a"}, {"sm_120f", "sm_90"}}) {
        EXPECT_EQ(compilers::read_nvcc_words({"--ptx", "-arch", word, "k.cu"})->request.arch, name);
        EXPECT_EQ(compilers::read_rtc_options({"-arch", word})->request.arch, name);
    }
    EXPECT_EQ(compilers::read_nvcc_words({"--ptx", "-arch=native", "k.cu"})->request.arch, "sm_90a");
    EXPECT_EQ(compilers::read_nvcc_words({"--ptx", "-arch=all-major", "k.cu"})->request.arch, "sm_75");
}

TEST_F(Compilers, NvccMakesWhatTheDriverLoads) {
    const auto source = put("k.cu", "__global__ void twice(float* x) { x[threadIdx.x] *= TWO; }\n");
    const auto ran =
        run({WARPWRIGHT_TEST_NVCC, "--cubin", "-arch=sm_80", "-DTWO=2", source, "-o", folder_ + "/k.cubin"});
    EXPECT_EQ(ran.exit_code, 0) << ran.errors;
    EXPECT_THAT(text_of(folder_ + "/k.cubin"), HasSubstr(".entry _Z5twicePf"));
    const auto bad = run({WARPWRIGHT_TEST_NVCC, "--ptx", source, "-o", folder_ + "/k.ptx"});
    EXPECT_EQ(bad.exit_code, 1);
    EXPECT_THAT(bad.errors, HasSubstr("TWO"));
    EXPECT_THAT(run({WARPWRIGHT_TEST_NVCC, "--preprocess", "-DTWO=2", source}).output, HasSubstr("*= 2;"));
    const auto other = run({WARPWRIGHT_TEST_NVCC, "-o", folder_ + "/app", source}, "PATH=/nowhere");
    EXPECT_EQ(other.exit_code, 1);
    EXPECT_THAT(other.errors, HasSubstr("warpwright build"));
}

TEST_F(Compilers, AProgramOfTheLibrariesPassesItsOwnChecks) {
    const auto ran = run({WARPWRIGHT_TEST_COMPILERS_PROGRAM}, "WARPWRIGHT_NVRTC=");
    EXPECT_EQ(ran.exit_code, 0) << ran.output << ran.errors;
    EXPECT_THAT(ran.output, HasSubstr("passed"));
}

// Where a program has NVIDIA's compiler, ours asks it for PTX in the place of machine code.
TEST_F(Compilers, TheVendorsCompilerMakesPtx) {
    const auto ran = run({WARPWRIGHT_TEST_COMPILERS_PROGRAM, "vendor"}, "WARPWRIGHT_NVRTC=" WARPWRIGHT_TEST_VENDOR);
    EXPECT_EQ(ran.exit_code, 0) << ran.errors;
    EXPECT_EQ(ran.output, "--gpu-architecture=compute_90a\n-arch\ncompute_80\n-I.\n");
}

}  // namespace compilers_test
}  // namespace warpwright
