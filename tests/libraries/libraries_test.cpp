// The drop-in libraries: programs that check themselves, the profile of one, and the page that lists the functions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "compile/process.hpp"
#include "occurrences.hpp"
#include "rand/generators.cuh"

namespace warpwright {
namespace libraries_test {

using testing::HasSubstr;

TEST(Cublas, AProgramPassesItsOwnChecks) {
    auto ran = compile::run_process({WARPWRIGHT_TEST_CUBLAS_PROGRAM});
    ASSERT_TRUE(ran.ok()) << ran.error().text();
    EXPECT_EQ(ran->exit_code, 0) << ran->output << ran->errors;
    EXPECT_THAT(ran->output, HasSubstr("passed"));
    // What OpenBLAS computes and what is not here is said, each once.
    EXPECT_EQ(occurrences(ran->errors, "OpenBLAS computes trsm on this machine"), 1u) << ran->errors;
    EXPECT_EQ(occurrences(ran->errors, "cublasStpttr is not supported"), 1u) << ran->errors;
}

TEST(Cublas, ItsCallsAndKernelsStandInTheProfile) {
    const std::string file = testing::TempDir() + "ww-cublas-profile-" + std::to_string(::getpid());
    auto ran = compile::run_process({"/usr/bin/env", "WARPWRIGHT_PREDICT=off", "WARPWRIGHT_PROFILE=" + file,
                                     WARPWRIGHT_TEST_CUBLAS_PROGRAM, "single"});
    ASSERT_TRUE(ran.ok()) << ran.error().text();
    EXPECT_EQ(ran->exit_code, 0) << ran->output << ran->errors;
    std::stringstream profile;
    profile << std::ifstream(file).rdbuf();
    EXPECT_THAT(profile.str(), HasSubstr("\"cublasSgemm_v2\""));
    EXPECT_THAT(profile.str(), HasSubstr("blas_gemm_f32"));
    EXPECT_THAT(profile.str(), HasSubstr("\"cudaMalloc\""));
    std::remove(file.c_str());
}

TEST(ManyLibraries, EachHasItsCallsInTheProfile) {
    const std::string file = testing::TempDir() + "ww-many-libraries-" + std::to_string(::getpid());
    std::vector<std::string> words{"/usr/bin/env", "WARPWRIGHT_PROFILE=" + file, WARPWRIGHT_TEST_MANY_LIBRARIES};
    std::istringstream files(WARPWRIGHT_TEST_LIBRARIES);
    for (std::string library; files >> library;) words.push_back(library);
    auto ran = compile::run_process(words);
    ASSERT_TRUE(ran.ok()) << ran.error().text();
    EXPECT_EQ(ran->exit_code, 0) << ran->output << ran->errors;
    std::stringstream profile;
    profile << std::ifstream(file).rdbuf();
    // All functions of all libraries stand there: too much to print.
    for (const std::string name : {"cusparseCreate", "cusparseDestroy"})
        EXPECT_NE(profile.str().find("\"" + name + "\",\"times\":{\"calls\":1,"), std::string::npos) << name;
    std::remove(file.c_str());
}

/// A function by the name that programs write, by the one that is exported, and what computes it.
struct Row {
    std::string name, exported, by;
};
#define WW_TEXT(a) WW_TEXT_(a)
#define WW_TEXT_(a) #a
/// What LAPACK and triangular matrices are for.
bool by_openblas(const std::string& function) {
    return function.starts_with("tr") || function.starts_with("getr") || function.starts_with("geqr") ||
           function.starts_with("gels") || function.starts_with("matinv");
}
const Row kRows[] = {
#define WW_CUBLAS(name, parameters, arguments) {#name, #name, ""},
#define WW_CUBLAS_NO_HANDLE WW_CUBLAS
#define WW_CUBLAS_V2(name, parameters, arguments) {#name, #name "_v2", ""},
#define WW_CUBLAS_WIDE(name, parameters, arguments) {#name WW_TEXT(WW_64), #name WW_TEXT(WW_64), ""},
#define WW_CUBLAS_WIDE_NO_HANDLE WW_CUBLAS_WIDE
#define WW_BY(function) by_openblas(#function) ? "OpenBLAS" : "kernels"
#define WW_BLAS(function, name, parameters, arguments) \
    {WW_TEXT(name) WW_TEXT(WW_64), WW_TEXT(name) "_v2" WW_TEXT(WW_64), WW_BY(function)},
#define WW_BLAS_PLAIN(function, name, parameters, arguments) \
    {WW_TEXT(name) WW_TEXT(WW_64), WW_TEXT(name) WW_TEXT(WW_64), WW_BY(function)},
#define WW_BLAS_HOST(function, name, parameters, arguments) \
    {WW_TEXT(name) WW_TEXT(WW_64), WW_TEXT(name) "_v2" WW_TEXT(WW_64), "OpenBLAS"},
#include "warpwright/cublas_api.inc"
};
const char* const kMissing[] = {
#define WW_MISSING(name) #name,
#include "warpwright/cublas_missing.inc"
#undef WW_MISSING
};

std::string page() {
    std::map<std::string, std::string> by;
    for (const auto& r : kRows)
        if (!r.name.ends_with("_64")) by[r.name.ends_with("_v2") ? r.name.substr(0, r.name.size() - 3) : r.name] = r.by;
    std::set<std::string> exported(std::begin(kMissing), std::end(kMissing));
    for (const auto& r : kRows) exported.insert(r.exported);
    std::ostringstream out;
    out << "# Functions of cuBLAS\n\n"
           "This page is made from the tables `cublas_api.inc` and `cublas_missing.inc` in "
           "`toolchain/include/warpwright` by the\n"
           "tests of `libraries` (`WARPWRIGHT_UPDATE_GOLDEN=1` writes it again). [libraries.md](libraries.md) says how "
           "the library\n"
           "behaves. The BLAS functions, `cublasGemmEx` and its like, and those that copy vectors and matrices have a "
           "form `_64` too.\n\n"
           "| function | computed by |\n|---|---|\n";
    for (const auto& [name, text] : by) out << "| `" << name << "` | " << text << " |\n";
    out << "\n## Not supported\n\n"
           "These exist by name and answer `CUBLAS_STATUS_NOT_SUPPORTED`, as do the functions without handles of "
           "`cublas.h`:\n\n";
    std::string line;
    for (const std::string name : kMissing) {
        if (exported.count(name + "_v2") || name.ends_with("_64")) continue;
        if (line.size() + name.size() + 4 > 124) out << line << "\n", line.clear();
        line += (line.empty() ? "`" : " `") + name + "`";
    }
    out << line << "\n";
    return out.str();
}

TEST(Cublas, ThePageListsTheTables) {
    const std::string file = WARPWRIGHT_SOURCE_DIR "/docs/cublas-functions.md";
    if (std::getenv("WARPWRIGHT_UPDATE_GOLDEN")) std::ofstream(file, std::ios::binary) << page();
    std::stringstream text;
    text << std::ifstream(file).rdbuf();
    EXPECT_TRUE(text.str() == page()) << "docs/cublas-functions.md is old: WARPWRIGHT_UPDATE_GOLDEN=1 writes it again";
}

TEST(Cublas, NoFunctionStandsTwice) {
    std::set<std::string> names;
    for (const auto& r : kRows) EXPECT_TRUE(names.insert(r.exported).second) << r.exported;
    for (const std::string name : kMissing) EXPECT_TRUE(names.insert(name).second) << name;
    EXPECT_GT(names.size(), 700u);
}

/// The lines that differ from the golden file, which was printed by the same program with NVIDIA's library.
std::string difference(const char* where) {
    auto ran = compile::run_process({WARPWRIGHT_TEST_CURAND_SEQUENCES, where});
    if (!ran.ok()) return ran.error().text();
    std::istringstream ours(ran->output + ran->errors);
    std::ifstream golden(WARPWRIGHT_SOURCE_DIR "/tests/libraries/golden/curand_sequences.golden");
    std::string out, a, b;
    std::size_t lines = 0;
    while (std::getline(golden, b)) {
        if (!std::getline(ours, a)) a = "(missing)";
        if (a != b) out += "line " + std::to_string(lines + 1) + ": " + a + ", NVIDIA's: " + b + "\n";
        ++lines;
    }
    while (std::getline(ours, a)) out += "more: " + a + "\n";
    return lines > 60 ? out : "there is no golden file";
}

TEST(Curand, TheHostsSequencesAreNvidias) { EXPECT_EQ(difference("host"), ""); }
TEST(Curand, TheDevicesSequencesAreNvidias) { EXPECT_EQ(difference("device"), ""); }

// The known answer that comes with the paper's own implementation (Random123).
TEST(Curand, PhiloxIsThatOfThePaper) {
    const auto q = ww_rand::philox(0, 0, 0);
    EXPECT_THAT(q.x, testing::ElementsAre(0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u));
}

// From all states 12345: L'Ecuyer's first number, 0.1270111.
TEST(Curand, Mrg32k3aIsThatOfThePaper) {
    ww_rand::Mrg32k3a s{{12345, 12345, 12345}, {12345, 12345, 12345}};
    EXPECT_NEAR(ww_rand::Mrg32k3a::uniform64(s), 0.12701112204657714, 1e-9);
}

TEST(Curand, QuantilesOfTheNormalDistribution) {
    for (const double x : {-6.0, -2.0, -0.1, 0.0, 1.0, 3.0, 5.5})
        EXPECT_NEAR(ww_rand::normal_quantile(0.5 * std::erfc(-x / std::sqrt(2.0))), x, 1e-8);
}

TEST(CublasLt, AProgramPassesItsOwnChecks) {
    auto ran = compile::run_process({"/usr/bin/env", "WARPWRIGHT_PREDICT=off", WARPWRIGHT_TEST_CUBLASLT_PROGRAM});
    ASSERT_TRUE(ran.ok()) << ran.error().text();
    EXPECT_EQ(ran->exit_code, 0) << ran->output << ran->errors;
    EXPECT_THAT(ran->output, HasSubstr("passed"));
    EXPECT_EQ(ran->errors, "");
}

TEST(Cufft, AProgramPassesItsOwnChecks) {
    auto ran = compile::run_process({"/usr/bin/env", "WARPWRIGHT_PREDICT=off", WARPWRIGHT_TEST_CUFFT_PROGRAM});
    ASSERT_TRUE(ran.ok()) << ran.error().text();
    EXPECT_EQ(ran->exit_code, 0) << ran->output << ran->errors;
    EXPECT_THAT(ran->output, HasSubstr("passed"));
    EXPECT_EQ(ran->errors, "");
}

TEST(Cusolver, AProgramPassesItsOwnChecksAndSaysThatTheHostComputes) {
    auto ran = compile::run_process({"/usr/bin/env", "WARPWRIGHT_PREDICT=off", WARPWRIGHT_TEST_CUSOLVER_PROGRAM});
    ASSERT_TRUE(ran.ok()) << ran.error().text();
    EXPECT_EQ(ran->exit_code, 0) << ran->output << ran->errors;
    EXPECT_THAT(ran->output, HasSubstr("passed"));
    EXPECT_THAT(ran->errors, HasSubstr("cuSOLVER: OpenBLAS computes getrf on this machine"));
}

/// What leads the host's routines astray ends as an access of a kernel's would, with a line that says what it was.
TEST(Cusolver, WhatLeadsAstrayIsRefused) {
    const std::pair<const char*, const char*> cases[] = {
        {"pivot", "cuSOLVER: getrs: pivot 1 is 1073741824, and the matrix has rows 1 to 2"},
        {"block", "cuSOLVER: sytri: pivot 1 is -2, and its block has no second row"},
        {"short", "cuSOLVER: potrf: A has 16000000 bytes from 0x"},
        {"info", "cuSOLVER: getrf: devInfo has 4 bytes from 0x"}};
    for (const auto& [which, line] : cases) {
        auto ran = compile::run_process({WARPWRIGHT_TEST_CUSOLVER_PROGRAM, which});
        ASSERT_TRUE(ran.ok()) << ran.error().text();
        EXPECT_EQ(ran->exit_code, 0) << ran->output << ran->errors;
        EXPECT_THAT(ran->output, HasSubstr("refused"));
        EXPECT_THAT(ran->errors, HasSubstr(line));
    }
}

/// The same of OpenBLAS, under cuBLAS's functions of one matrix and of many.
TEST(Cublas, WhatLeadsAstrayIsRefused) {
    const std::pair<const char*, const char*> cases[] = {
        {"astray-pivot", "cuBLAS: getrsBatched: pivot 1 is -5, and the matrix has rows 1 to 2"},
        {"astray-matrix", "cuBLAS: trsm: the second array has 16000000 bytes from 0x"},
        {"astray-null", "cuBLAS: getrfBatched: A[i] is null"}};
    for (const auto& [which, line] : cases) {
        auto ran = compile::run_process({WARPWRIGHT_TEST_CUBLAS_PROGRAM, which});
        ASSERT_TRUE(ran.ok()) << ran.error().text();
        EXPECT_EQ(ran->exit_code, 0) << ran->output << ran->errors;
        EXPECT_THAT(ran->output, HasSubstr("refused"));
        EXPECT_THAT(ran->errors, HasSubstr(line));
    }
}

TEST(Cusparse, AProgramPassesItsOwnChecks) {
    auto ran = compile::run_process({"/usr/bin/env", "WARPWRIGHT_PREDICT=off", WARPWRIGHT_TEST_CUSPARSE_PROGRAM});
    ASSERT_TRUE(ran.ok()) << ran.error().text();
    EXPECT_EQ(ran->exit_code, 0) << ran->output << ran->errors;
    EXPECT_THAT(ran->output, HasSubstr("passed"));
    EXPECT_EQ(ran->errors, "");
}

TEST(Cudnn, AProgramPassesItsOwnChecks) {
    auto ran = compile::run_process({"/usr/bin/env", "WARPWRIGHT_PREDICT=off", WARPWRIGHT_TEST_CUDNN_PROGRAM});
    ASSERT_TRUE(ran.ok()) << ran.error().text();
    EXPECT_EQ(ran->exit_code, 0) << ran->output << ran->errors;
    EXPECT_THAT(ran->output, HasSubstr("passed"));
    EXPECT_EQ(ran->errors, "");
}

TEST(Cudnn, AProgramOfGraphsPassesItsOwnChecks) {
    auto ran = compile::run_process({"/usr/bin/env", "WARPWRIGHT_PREDICT=off", WARPWRIGHT_TEST_CUDNN_GRAPHS_PROGRAM});
    ASSERT_TRUE(ran.ok()) << ran.error().text();
    EXPECT_EQ(ran->exit_code, 0) << ran->output << ran->errors;
    EXPECT_THAT(ran->output, HasSubstr("passed"));
    std::string lines;
    for (const char* const what :
         {"a tensor of 2^31 elements or more", "pooling with such edges", "an operation on 2^31 elements or more"})
        lines += std::string("warpwright: cuDNN: ") + what + " is not supported by the emulated GPU's library\n";
    EXPECT_EQ(ran->errors, lines);
}

TEST(Nccl, AProgramPassesItsOwnChecks) {
    const std::string file = testing::TempDir() + "ww-nccl-profile-" + std::to_string(::getpid());
    auto ran = compile::run_process(
        {"/usr/bin/env", "WARPWRIGHT_DEVICE_COUNT=2", "WARPWRIGHT_PROFILE=" + file, WARPWRIGHT_TEST_NCCL_PROGRAM});
    ASSERT_TRUE(ran.ok()) << ran.error().text();
    EXPECT_EQ(ran->exit_code, 0) << ran->output << ran->errors;
    EXPECT_THAT(ran->output, HasSubstr("passed"));
    EXPECT_THAT(ran->errors, HasSubstr("NCCL: rank 2 does not exist"));
    std::remove(file.c_str());
}

TEST(Cupti, AProgramThatProfilesItselfPassesItsOwnChecks) {
    for (const char* profile : {"", "a-profile"}) {  // beside a profile of `run` too
        const std::string file = *profile ? testing::TempDir() + "ww-cupti-" + std::to_string(::getpid()) : "";
        auto ran = compile::run_process({"/usr/bin/env", "WARPWRIGHT_PROFILE=" + file, WARPWRIGHT_TEST_CUPTI_PROGRAM});
        ASSERT_TRUE(ran.ok()) << ran.error().text();
        EXPECT_EQ(ran->exit_code, 0) << ran->output << ran->errors;
        EXPECT_THAT(ran->output, HasSubstr("passed"));
        if (*profile) std::remove(file.c_str());
    }
}

}  // namespace libraries_test
}  // namespace warpwright
