// The takeover of a static runtime, on a program whose runtime is made up: every function of it answers 103.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compile/process.hpp"

namespace warpwright {
namespace {

using testing::HasSubstr;
using testing::Not;

compile::ProcessResult run(const std::vector<std::string>& words, bool taken_over = true) {
    std::vector<std::string> all{"/usr/bin/env"};
    if (taken_over) all.push_back("LD_PRELOAD=" WARPWRIGHT_TEST_TAKEOVER);
    all.insert(all.end(), words.begin(), words.end());
    auto ran = compile::run_process(all);
    EXPECT_TRUE(ran.ok()) << ran.error().text();
    return ran ? *ran : compile::ProcessResult{-1, 0, "", ""};
}

TEST(Takeover, TheProgramsOwnRuntimeRefuses) {
    const auto ran = run({WARPWRIGHT_TEST_PROGRAM}, false);
    EXPECT_THAT(ran.output, HasSubstr("malloc 103"));
}

TEST(Takeover, FunctionsLeadToOursBeforeConstructorsRun) {
    const auto ran = run({WARPWRIGHT_TEST_PROGRAM});
    EXPECT_EQ(ran.exit_code, 0) << ran.errors;
    EXPECT_THAT(ran.output, HasSubstr("devices at the start: 1"));
    EXPECT_THAT(ran.output, HasSubstr("malloc 0\nmemset 0\nmemcpy 0, last byte 7\nfree 0\n"));
    EXPECT_THAT(ran.output, HasSubstr("library 1\n"));
    EXPECT_THAT(ran.output, HasSubstr("own helper 103"));
    // What our library has by name only says so.
    EXPECT_THAT(ran.output, HasSubstr("export table 801"));
    EXPECT_THAT(ran.errors, HasSubstr("cudaGetExportTable is not supported"));
}

TEST(Takeover, LibrariesLoadedLaterToo) {
    const auto ran = run({WARPWRIGHT_TEST_PROGRAM, WARPWRIGHT_TEST_PLUGIN});
    EXPECT_THAT(ran.output, HasSubstr("plugin's devices: 1"));
}

TEST(Takeover, AStrippedProgramGetsOneLine) {
    const auto ran = run({WARPWRIGHT_TEST_PROGRAM ".stripped"});
    EXPECT_EQ(ran.exit_code, 0);
    EXPECT_THAT(ran.output, HasSubstr("malloc 103"));
    EXPECT_THAT(ran.errors, HasSubstr("it was stripped"));
    EXPECT_THAT(ran.errors, HasSubstr("-cudart shared, or do not strip it"));
}

TEST(Takeover, OtherProgramsAreLeftAlone) {
    const auto ran = run({"/bin/sh", "-c", "echo well"});
    EXPECT_EQ(ran.output, "well\n");
    EXPECT_EQ(ran.errors, "");
}

}  // namespace
}  // namespace warpwright
