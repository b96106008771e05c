// Every kernel of corpus/ compiles, and its PTX holds what its "// PTX:" lines ask for: words split by blanks, each a
// choice of spellings split by '|'.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "compile/kernel/compile.hpp"
#include "compile/kernel/entries.hpp"
#include "ptx/parser.hpp"

namespace warpwright::compile {
namespace corpus_test {

namespace fs = std::filesystem;

std::vector<std::string> corpus() {
    std::vector<std::string> files;
    for (const auto& entry : fs::directory_iterator(WARPWRIGHT_SOURCE_DIR "/tests/toolchain/corpus"))
        if (entry.path().extension() == ".cu") files.push_back(entry.path().stem().string());
    std::sort(files.begin(), files.end());
    return files;
}

CompiledPtx compile_file(const std::string& name, const std::string& arch, std::vector<std::string> flags = {}) {
    CompileRequest request;
    request.path = std::string(WARPWRIGHT_SOURCE_DIR "/tests/toolchain/corpus/") + name + ".cu";
    request.arch = arch;
    request.flags = std::move(flags);
    auto ptx = compile(request);
    EXPECT_TRUE(ptx.ok()) << (ptx.ok() ? "" : ptx.error().text());
    return ptx.ok() ? std::move(*ptx) : CompiledPtx{};
}

class Corpus : public testing::TestWithParam<std::string> {};

TEST_P(Corpus, CompilesToTheInstructionsItAsksFor) {
    const CompiledPtx ptx = compile_file(GetParam(), "sm_80");
    EXPECT_EQ(ptx.log, "");
    EXPECT_TRUE(find_entry(ptx.entries, "test").ok());
    auto module = ptx::parse(ptx.ptx, GetParam());
    EXPECT_TRUE(module.ok()) << module.error().text();
    EXPECT_EQ(ptx.ptx.find(".extern .func  (.param .b64 func_retval0) _Z"), std::string::npos)
        << "a library function is not linked";
    std::ifstream source(std::string(WARPWRIGHT_SOURCE_DIR "/tests/toolchain/corpus/") + GetParam() + ".cu");
    std::string line;
    unsigned asked = 0;
    while (std::getline(source, line) && line.starts_with("// PTX:")) {
        std::istringstream words(line.substr(7));
        for (std::string word; words >> word; ++asked) {
            bool found = false;
            std::istringstream choices(word);
            for (std::string choice; std::getline(choices, choice, '|');)
                found |= ptx.ptx.find(choice) != std::string::npos;
            EXPECT_TRUE(found) << GetParam() << ".cu has no " << word;
        }
    }
    EXPECT_GT(asked, 0u) << "no PTX line at the top of the file";
}

INSTANTIATE_TEST_SUITE_P(Kernels, Corpus, testing::ValuesIn(corpus()), [](const auto& info) { return info.param; });

TEST(Toolchain, OlderAndNewerArchitecturesCompile) {
    EXPECT_NE(compile_file("shared_template", "sm_60").ptx.find(".target sm_60"), std::string::npos);
    EXPECT_NE(compile_file("half", "sm_90").ptx.find(".target sm_90"), std::string::npos);
    const std::string bf16 = compile_file("bfloat16", "sm_90").ptx;
    EXPECT_NE(bf16.find("add.rn.bf16"), std::string::npos);
    EXPECT_NE(bf16.find("atom.add.noftz.bf16x2"), std::string::npos);
}

TEST(Toolchain, FastMathChangesWhatItShould) {
    const std::string plain = compile_file("no_includes", "sm_80").ptx;
    const std::string fast = compile_file("no_includes", "sm_80", {"--use_fast_math"}).ptx;
    for (const char* instruction : {"mul.rn.ftz.f32", "fma.rn.ftz.f32"}) {
        EXPECT_NE(fast.find(instruction), std::string::npos) << fast;
        EXPECT_EQ(plain.find(instruction), std::string::npos);
    }
}

TEST(Toolchain, ContractionCanBeSwitchedOff) {
    CompileRequest request;
    request.path = "k.cu";
    request.text = "__global__ void k(float* p) { p[0] = p[1] * p[2] + p[3]; }";
    EXPECT_NE(compile(request)->ptx.find("fma.rn.f32"), std::string::npos);
    request.flags = {"--fmad=false"};
    const std::string ptx = compile(request)->ptx;
    EXPECT_EQ(ptx.find("fma.rn.f32"), std::string::npos);
    EXPECT_NE(ptx.find("add.rn.f32"), std::string::npos);
}

TEST(Toolchain, IntrinsicsCountForTheLineThatCallsThem) {
    CompileRequest request;
    request.path = "lines.cu";
    request.text =
        "__global__ void k(int* p) {\n    int v = p[threadIdx.x];\n\n    v += __shfl_xor_sync(0xffffffffu, v, 1);\n    "
        "p[0] = v;\n}\n";
    const std::string ptx = compile(request)->ptx;
    const auto shuffle = ptx.find("shfl.sync.bfly");
    ASSERT_NE(shuffle, std::string::npos);
    const auto line = ptx.rfind(".loc", shuffle);
    ASSERT_NE(line, std::string::npos);
    EXPECT_EQ(ptx.substr(line, 9), ".loc\t1 4 ") << ptx;
    EXPECT_EQ(ptx.find("warpwright/warp.h"), std::string::npos);
}

}  // namespace corpus_test
}  // namespace warpwright::compile
