// What the tests of whole programs share: one is built from a source in programs/, and runs.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "compile/process.hpp"
#include "compile/program/build_program.hpp"
#include "support/disk_cache.hpp"

namespace warpwright::programs_test {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

// WARPWRIGHT_TEST_PRELOAD: what programs load before all else; only builds with ThreadSanitizer have something.
class Programs : public testing::TestWithParam<const char*> {
protected:
    void SetUp() override {
        folder_ = fs::temp_directory_path() / ("ww-cudart-" + std::to_string(::getpid()) + "-" + GetParam());
        fs::create_directories(folder_);
    }
    void TearDown() override { fs::remove_all(folder_); }

    compile::ProcessResult run(const std::vector<std::string>& environment = {}, const std::string& extension = ".cu",
                               const std::vector<std::string>& flags = {},
                               const std::vector<std::string>& others = {}) {
        compile::WholeRequest request;
        request.sources = {std::string(WARPWRIGHT_SOURCE_DIR "/tests/cudart/programs/") + GetParam() + extension};
        request.flags = flags;
        for (const auto& other : others)
            request.sources.push_back(std::string(WARPWRIGHT_SOURCE_DIR "/tests/cudart/programs/") + other);
        request.program = folder_ / "program";
        request.runtime_folder = WARPWRIGHT_TEST_CUDART;
        request.arch = arch_;
        compile::CompileOptions options;
        options.cache_dir = default_cache_directory();
        auto built = compile::build_program(request, options);
        EXPECT_TRUE(built.ok()) << built.error().text();
        if (!built) return {-1, 0, "", ""};
        std::vector<std::string> words{"/usr/bin/env", WARPWRIGHT_TEST_PRELOAD};
        words.insert(words.end(), environment.begin(), environment.end());
        words.push_back(request.program);
        auto ran = compile::run_process(words);
        EXPECT_TRUE(ran.ok()) << ran.error().text();
        return ran ? *ran : compile::ProcessResult{-1, 0, "", ""};
    }

    /// The same, built by NVIDIA's compiler where it is installed.
    compile::ProcessResult run_nvcc(const std::string& architecture, const std::vector<std::string>& environment,
                                    const std::vector<std::string>& flags = {}) {
        std::vector<std::string> command{
            WARPWRIGHT_TEST_NVCC,
            "-cudart",
            "shared",
            "-gencode",
            "arch=compute_" + architecture + ",code=compute_" + architecture,
            "-o",
            (folder_ / "program").string(),
            std::string(WARPWRIGHT_SOURCE_DIR "/tests/cudart/programs/") + GetParam() + ".cu"};
        command.insert(command.end(), flags.begin(), flags.end());
        auto built = compile::run_process(command);
        EXPECT_TRUE(built.ok() && built->exit_code == 0) << (built ? built->errors : built.error().text());
        std::vector<std::string> words{"/usr/bin/env", WARPWRIGHT_TEST_PRELOAD,
                                       "LD_LIBRARY_PATH=" WARPWRIGHT_TEST_CUDART};
        words.insert(words.end(), environment.begin(), environment.end());
        words.push_back((folder_ / "program").string());
        auto ran = compile::run_process(words);
        EXPECT_TRUE(ran.ok()) << ran.error().text();
        return ran ? *ran : compile::ProcessResult{-1, 0, "", ""};
    }

    fs::path folder_;
    std::string arch_;  ///< what it is compiled for; empty: for every device model
};

}  // namespace warpwright::programs_test
