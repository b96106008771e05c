// Each program in programs/ checks itself: it ends with 0 and says "passed".
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "compile/process.hpp"
#include "compile/whole.hpp"
#include "support/disk_cache.hpp"

namespace warpwright {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class Programs : public testing::TestWithParam<const char*> {
protected:
    void SetUp() override {
        folder_ = fs::temp_directory_path() / ("ww-cudart-" + std::to_string(::getpid()) + "-" + GetParam());
        fs::create_directories(folder_);
    }
    void TearDown() override { fs::remove_all(folder_); }

    compile::ProcessResult run(const std::vector<std::string>& environment = {}, const std::string& extension = ".cu",
                               const std::vector<std::string>& flags = {}, const std::vector<std::string>& others = {}) {
        compile::WholeRequest request;
        request.sources = {std::string(WARPWRIGHT_SOURCE_DIR "/tests/cudart/programs/") + GetParam() + extension};
        request.flags = flags;
        for (const auto& other : others) request.sources.push_back(std::string(WARPWRIGHT_SOURCE_DIR "/tests/cudart/programs/") + other);
        request.program = folder_ / "program";
        request.runtime_folder = WARPWRIGHT_TEST_CUDART;
        compile::CompileOptions options;
        options.cache_dir = default_cache_directory();
        auto built = compile::build_program(request, options);
        EXPECT_TRUE(built.ok()) << built.error().text();
        if (!built) return {-1, 0, "", ""};
        std::vector<std::string> words{"/usr/bin/env"};
        words.insert(words.end(), environment.begin(), environment.end());
        words.push_back(request.program);
        auto ran = compile::run_process(words);
        EXPECT_TRUE(ran.ok()) << ran.error().text();
        return ran ? *ran : compile::ProcessResult{-1, 0, "", ""};
    }

    fs::path folder_;
};

TEST_P(Programs, PassTheirOwnChecks) {
    const auto ended = run();
    EXPECT_EQ(ended.signal, 0);
    EXPECT_EQ(ended.exit_code, 0) << ended.output << ended.errors;
    EXPECT_THAT(ended.output, HasSubstr("passed"));
}

INSTANTIATE_TEST_SUITE_P(All, Programs,
                         testing::Values("vector_add", "streams", "graphs", "memory", "symbols", "textures", "errors", "launches", "threads",
                                         "small_floats", "scoped_atomics", "managed"),
                         [](const auto& info) { return std::string(info.param); });

/// nvcc's -x cu for other extensions, and OpenMP with or without its library.
class Flags : public Programs {};

TEST_P(Flags, ReachBothSides) {
    const auto ended = run({}, ".cpp", {"-x", "cu", "-fopenmp"});
    EXPECT_EQ(ended.exit_code, 0) << ended.output << ended.errors;
    EXPECT_THAT(ended.output, HasSubstr("passed"));
}

INSTANTIATE_TEST_SUITE_P(All, Flags, testing::Values("host_threads"), [](const auto& info) { return std::string(info.param); });

/// Separate compilation: functions and variables of one file that another uses.
class Separate : public Programs {};

TEST_P(Separate, FilesAreLinked) {
    const auto ended = run({}, ".cu", {"-rdc=true"}, {"two_files_other.cu"});
    EXPECT_EQ(ended.exit_code, 0) << ended.output << ended.errors;
    EXPECT_THAT(ended.output, HasSubstr("passed"));
}

INSTANTIATE_TEST_SUITE_P(All, Separate, testing::Values("two_files"), [](const auto& info) { return std::string(info.param); });

/// What ends the process in the middle of a kernel must not hang or crash it, and its own exit code stays.
class Endings : public Programs {};

TEST_P(Endings, ExitWhileAKernelRunsKeepsTheCode) {
    const auto ended = run();
    EXPECT_EQ(ended.signal, 0) << ended.errors;
    EXPECT_EQ(ended.exit_code, 7) << ended.output << ended.errors;
}

INSTANTIATE_TEST_SUITE_P(All, Endings, testing::Values("exit_in_kernel"), [](const auto& info) { return std::string(info.param); });

class Faults : public Programs {};

TEST_P(Faults, AreNamedWithTheirLine) {
    const auto ended = run();
    EXPECT_EQ(ended.exit_code, 0) << ended.output << ended.errors;
    EXPECT_THAT(ended.errors, HasSubstr("fault.cu:7"));
    EXPECT_THAT(ended.output, HasSubstr("cudaErrorIllegalAddress"));
}

INSTANTIATE_TEST_SUITE_P(All, Faults, testing::Values("fault"), [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace warpwright
