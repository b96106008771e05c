// The emulated GPU refuses what hardware refuses, with the same codes: refusals/refusals.cu has the wrong calls, and
// refusals/h100.golden what an H100 answered.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "compile/process.hpp"
#include "compile/program/build_program.hpp"
#include "support/disk_cache.hpp"

namespace warpwright {
namespace refusals_test {

namespace fs = std::filesystem;
const fs::path kFolder = WARPWRIGHT_SOURCE_DIR "/tests/cudart/refusals";

/// The answers of each row, by its name.
std::map<std::string, std::string> rows_of(std::istream& text) {
    std::map<std::string, std::string> rows;
    for (std::string line; std::getline(text, line);) {
        const auto colon = line.find(':');
        if (colon != std::string::npos) rows[line.substr(0, colon)] = line.substr(colon + 1);
    }
    return rows;
}

/// Where the emulated GPU answers otherwise, with the reason. A row that has come to agree must leave this list.
const std::map<std::string, std::string> kOtherwise{
    {"registers_times_threads", "without NVIDIA's assembler registers are estimated, and an estimate refuses nothing"},
    {"grid_sync_without_cooperative", "every grid has memory for its barrier here, and one block waits for nobody"},
    {"heap_exhausted",
     "kernels' malloc() takes from all of the device's memory: cudaLimitMallocHeapSize bounds nothing"},
    {"heap_limit_after_use", "the limit may be set at any time"},
    {"printf_limit_after_use", "the limit may be set at any time"},
    {"reset_after_a_fault", "a reset makes the emulated device usable again"},
};

/// Where it answers as a GPU does, or later: the call waits for the events where the kernel has not told its time yet.
const std::set<std::string> kEither{"elapsed_of_unfinished"};

TEST(Refusals, AreThoseOfAnH100) {
    const fs::path folder = fs::temp_directory_path() / ("ww-refusals-" + std::to_string(::getpid()));
    fs::create_directories(folder);
    compile::WholeRequest request;
    request.sources = {(kFolder / "refusals.cu").string()};
    request.program = (folder / "program").string();
    request.runtime_folder = WARPWRIGHT_TEST_CUDART;
    request.arch = "sm_90";
    compile::CompileOptions options;
    options.cache_dir = default_cache_directory();
    auto built = compile::build_program(request, options);
    ASSERT_TRUE(built.ok()) << built.error().text();
    auto ran = compile::run_process(
        {"/usr/bin/env", WARPWRIGHT_TEST_PRELOAD, "WARPWRIGHT_MODEL=h100", "WARPWRIGHT_PTXAS=off", request.program});
    fs::remove_all(folder);
    ASSERT_TRUE(ran.ok()) << ran.error().text();
    std::istringstream output(ran->output);
    const auto ours = rows_of(output);
    std::ifstream golden(kFolder / "h100.golden");
    const auto theirs = rows_of(golden);
    EXPECT_EQ(ours.size(), theirs.size());
    EXPECT_GE(theirs.size(), 100u);
    for (const auto& [name, answer] : theirs) {
        ASSERT_TRUE(ours.contains(name)) << name;
        if (kEither.contains(name)) {
            EXPECT_TRUE(ours.at(name) == answer || ours.at(name) == " cudaSuccess cudaSuccess cudaSuccess")
                << name << ours.at(name);
            continue;
        }
        if (kOtherwise.contains(name))
            EXPECT_NE(ours.at(name), answer) << name << " agrees now: take it off the list";
        else
            EXPECT_EQ(ours.at(name), answer) << name;
    }
}

}  // namespace refusals_test
}  // namespace warpwright
