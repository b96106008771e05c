// The takeover of a static runtime, on a program whose runtime is made up: every function of it answers 103.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "compile/process.hpp"

namespace warpwright {
namespace takeover_test {

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

// A package may bring many of them, of which a program calls none.
TEST(Takeover, AStrippedLibraryGetsALineWhenItUsesCuda) {
    const std::string first =
        "LD_PRELOAD=" WARPWRIGHT_TEST_TAKEOVER ":" WARPWRIGHT_TEST_STRIPPED "_a.so:" WARPWRIGHT_TEST_STRIPPED "_b.so";
    const auto loaded = run({first, WARPWRIGHT_TEST_OPENER, WARPWRIGHT_TEST_STRIPPED "_a.so", "opens_driver"});
    EXPECT_EQ(loaded.exit_code, 0) << loaded.output << loaded.errors;
    EXPECT_EQ(loaded.errors, "");
    const auto used = run({first, WARPWRIGHT_TEST_OPENER, WARPWRIGHT_TEST_STRIPPED "_a.so", "opens_driver", "call"});
    EXPECT_THAT(used.output, testing::EndsWith("\n1\n"));
    EXPECT_THAT(used.errors, HasSubstr("libstripped_a.so begins to use its static CUDA runtime"));
    EXPECT_THAT(used.errors, Not(HasSubstr("libstripped_b.so")));
    const auto later = run({WARPWRIGHT_TEST_OPENER, WARPWRIGHT_TEST_STRIPPED "_b.so", "opens_driver", "call"});
    EXPECT_THAT(later.errors, HasSubstr("libstripped_b.so begins to use"));
    // One with its symbols is led to our runtime, and needs no line.
    EXPECT_EQ(run({WARPWRIGHT_TEST_OPENER, WARPWRIGHT_TEST_PLUGIN, "opens_driver", "call"}).errors, "");
}

/// What a program gets that opens a library by this name.
std::string opened(const std::string& name, const char* function) {
    auto ran = run({WARPWRIGHT_TEST_OPENER, name, function});
    if (!ran.output.empty()) ran.output.pop_back();
    return ran.output;
}

TEST(Takeover, LibrariesOfNvidiasNamesAreOurs) {
    EXPECT_EQ(opened("/nowhere/nvidia/lib/libcuda.so.1", "cuInit"), WARPWRIGHT_TEST_LIBCUDA);
    EXPECT_EQ(opened("libcuda.so", "cuInit"), WARPWRIGHT_TEST_LIBCUDA);
    EXPECT_EQ(opened("/nowhere/nvrtc/lib/libnvrtc.so.13", "nvrtcVersion"), WARPWRIGHT_TEST_NVRTC);
    // There is none for this version.
    EXPECT_THAT(opened("libnvrtc.so.9", "nvrtcVersion"), HasSubstr("cannot open"));
    EXPECT_THAT(opened("libcudalike.so", "cuInit"), HasSubstr("cannot open"));
}

// They have the place of another runtime library in themselves, which the loader searches before LD_LIBRARY_PATH.
TEST(Takeover, LibrariesLinkedToARuntimeByAPathGetOurs) {
    const auto alone = run({WARPWRIGHT_TEST_OPENER, WARPWRIGHT_TEST_LINKED, "cudaGetDeviceCount"}, false);
    EXPECT_THAT(alone.output, HasSubstr("/other/libcudart.so.13"));
    EXPECT_EQ(opened(WARPWRIGHT_TEST_LINKED, "cudaGetDeviceCount"), WARPWRIGHT_TEST_CUDART);
    EXPECT_EQ(opened(WARPWRIGHT_TEST_INDIRECT, "cudaGetDeviceCount"), WARPWRIGHT_TEST_CUDART);
}

// A name without a folder is looked for in the path of the object that asks.
TEST(Takeover, TheLoaderStillKnowsWhoOpens) {
    EXPECT_THAT(opened(WARPWRIGHT_TEST_PLUGIN_NAME, "devices_of_plugin"),
                testing::EndsWith(WARPWRIGHT_TEST_PLUGIN_NAME));
}

// JAX looks for /dev/nvidia0 before it asks the driver library.
TEST(Takeover, TheDriversFilesAreThereForEachDevice) {
    const std::string there = "open 1\nopenat 1\naccess 1\nfaccessat 1\nstat 1\nlstat 1\nfstatat 1\nstatx 1\n";
    const auto asked = [](const std::string& file, const std::string& devices = "1") {
        return run({"WARPWRIGHT_DEVICE_COUNT=" + devices, WARPWRIGHT_TEST_STARTER, "asks", file}).output;
    };
    for (const std::string file : {"nvidia0", "nvidiactl", "nvidia-uvm"}) EXPECT_EQ(asked("/dev/" + file), there);
    EXPECT_EQ(asked("/dev/nvidia1", "2"), there);
    // A driver with these devices would not have them, nor does a machine.
    for (const std::string file : {"nvidia00", "nvidia0/x", "nvidia17"})
        EXPECT_THAT(asked("/dev/" + file, "2"), Not(HasSubstr("1"))) << file;
    EXPECT_THAT(asked("/dev/zero"), HasSubstr("access 1\nfaccessat 1\nstat 1\n"));
}

// Each line of the program is one way to read a clock, or to wait for a time of it.
TEST(Clocks, AreKeptForTheProgramAndNotForOurs) {
    const auto ran = run({WARPWRIGHT_TEST_CLOCKS});
    EXPECT_EQ(ran.exit_code, 0) << ran.errors;
    EXPECT_THAT(ran.output, Not(HasSubstr(": no"))) << ran.output;
    EXPECT_THAT(ran.output, HasSubstr("a child's clock goes on: yes"));
    EXPECT_EQ(ran.errors, "");
}

TEST(Clocks, OneThatAProgramSetsGetsALine) {
    const auto ran = run({WARPWRIGHT_TEST_CLOCKS, "set"});
    EXPECT_EQ(ran.exit_code, 0);
    EXPECT_THAT(ran.errors, HasSubstr("the program sets the system's clock"));
    EXPECT_EQ(std::count(ran.errors.begin(), ran.errors.end(), '\n'), 1);
}

class StartedCompilers : public testing::Test {
protected:
    const std::string folder_ = testing::TempDir() + "ww-takeover-" + std::to_string(::getpid());
    void SetUp() override {
        std::filesystem::create_directories(folder_ + "/as");
        put("ptxas"), put("nvcc"), put("other");
        std::filesystem::copy_file(WARPWRIGHT_TEST_STARTER, folder_ + "/as/nvcc");
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }
    /// A program that says its name and words.
    void put(const std::string& name) {
        std::ofstream(folder_ + "/" + name) << "#!/bin/sh\necho theirs " << name << " \"$@\"\n";
        std::filesystem::permissions(folder_ + "/" + name, std::filesystem::perms::owner_all);
    }
    std::string started(const std::string& way, const std::string& name, const std::vector<std::string>& words,
                        const std::string& starter = WARPWRIGHT_TEST_STARTER) {
        std::vector<std::string> all{starter, way, folder_ + "/" + name};
        all.insert(all.end(), words.begin(), words.end());
        const auto ran = run(all);
        return ran.output + ran.errors;
    }
};

TEST_F(StartedCompilers, AnAssemblerByItsPathIsOurs) {
    for (const std::string way : {"execve", "execv", "execvp", "spawn", "spawnp"})
        EXPECT_THAT(started(way, "ptxas", {"--version"}), HasSubstr("stand-in of Warpwright")) << way;
    const auto shell = run({"/bin/sh", "-c", folder_ + "/ptxas --version; true"});
    EXPECT_THAT(shell.output, HasSubstr("stand-in of Warpwright"));
}

TEST_F(StartedCompilers, ACompilerByItsPathIsAskedForPtx) {
    for (const std::string way : {"execve", "execv", "execvp", "spawn", "spawnp"})
        EXPECT_EQ(started(way, "nvcc", {"-O3", "--cubin", "k.cu"}), "theirs nvcc -O3 --ptx k.cu\n") << way;
    EXPECT_EQ(started("execv", "nvcc", {"-o", "app", "k.cu"}), "theirs nvcc -o app k.cu\n");
}

TEST_F(StartedCompilers, WhatACompilerStartsItselfIsLeftAlone) {
    EXPECT_EQ(started("spawn", "ptxas", {"k"}, folder_ + "/as/nvcc"), "theirs ptxas k\n");
    EXPECT_EQ(started("execv", "ptxas", {"k"}, folder_ + "/as/nvcc"), "theirs ptxas k\n");
}

TEST_F(StartedCompilers, OtherProgramsAndThoseStartedAloneAreLeftAlone) {
    EXPECT_EQ(started("execv", "other", {"--cubin"}), "theirs other --cubin\n");
    EXPECT_EQ(started("alone", "ptxas", {"k"}), "theirs ptxas k\n");
    EXPECT_EQ(run({WARPWRIGHT_TEST_STARTER, "execv", folder_ + "/none/ptxas"}).exit_code, 3);
}

TEST(Takeover, OtherProgramsAreLeftAlone) {
    const auto ran = run({"/bin/sh", "-c", "echo well"});
    EXPECT_EQ(ran.output, "well\n");
    EXPECT_EQ(ran.errors, "");
}

}  // namespace takeover_test
}  // namespace warpwright
