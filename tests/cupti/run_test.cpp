// `run --device cuda` as a user has it, over a made-up driver and CUPTI: what is told, what is shown, what goes wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "common/program.hpp"
#include "profile/cupti.hpp"

namespace warpwright {
namespace run_test {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
namespace fs = std::filesystem;
using test::text_of;

struct Outcome {
    int code = 0;
    std::string out, error;
    json profile;
};

class GpuRun : public testing::Test {
protected:
    void SetUp() override {
        set("WARPWRIGHT_LIBCUDA", WARPWRIGHT_MADE_UP);
        set("WARPWRIGHT_CUPTI", WARPWRIGHT_MADE_UP);
        set("WARPWRIGHT_INJECT", WARPWRIGHT_INJECT);
    }
    void TearDown() override {
        for (const auto& n : set_) ::unsetenv(n.c_str());
    }
    void set(const std::string& name, const std::string& value) {
        ::setenv(name.c_str(), value.c_str(), 1);
        set_.push_back(name);
    }

    Outcome run(std::vector<std::string> options, const std::vector<std::string>& program) {
        const std::string file = folder_ / "profile.json";
        std::vector<std::string> words{"run", "--device", "cuda", "--json", file};
        words.insert(words.end(), options.begin(), options.end());
        words.push_back(WARPWRIGHT_MADE_UP_PROGRAM);
        words.push_back("--");
        words.insert(words.end(), program.begin(), program.end());
        testing::internal::CaptureStdout();  // the program's own
        test::Said said = test::program(words);
        Outcome o{said.code, testing::internal::GetCapturedStdout() + said.out, said.error, {}};
        std::ifstream in(file);
        if (in) o.profile = json::parse(in, nullptr, false);
        return o;
    }

    test::Folder folder_;
    std::vector<std::string> set_;
};

const std::vector<std::string> kProgram{
    "copy", "1",    "4096", "launch", "_Z3addPKfPfi", "100", "256", "launch", "_Z3addPKfPfi", "100",
    "256",  "copy", "2",    "4096",   "set",          "64",  "say", "hello",  "exit",         "7"};

TEST_F(GpuRun, ShowsTheSameTablesWithMeasuredTimes) {
    const auto o = run({}, kProgram);
    EXPECT_EQ(o.code, 7);  // the program's own
    EXPECT_EQ(o.out, "hello\n");
    EXPECT_THAT(o.error, AllOf(HasSubstr("All times were measured on Made-up H200 (CUPTI 13.0)"),
                               HasSubstr("add(float const*, float*, int)"), HasSubstr("[CUDA memcpy HtoD]"),
                               HasSubstr("[CUDA memset]"), HasSubstr("cudaMemcpy\n"), Not(HasSubstr("predicted"))));
    EXPECT_THAT(o.error, HasSubstr("2 launches ran 9 times over"));
    // Figures of the made-up counters, for one launch of 100 x 256 threads.
    EXPECT_THAT(
        o.error,
        AllOf(HasSubstr("1,600 requests"), HasSubstr("6,400 sectors       4.00 sectors per request"),
              HasSubstr("25,600 wavefronts"), HasSubstr("24,800 bank conflicts"), HasSubstr("1 of 1,600 branches"),
              HasSubstr("32.0 of 32 lanes"), HasSubstr("occupancy achieved 42 %"), HasSubstr("24 registers"),
              HasSubstr("DRAM: 204.8 KB read, 102.4 KB written, 307.2 GB/s"), HasSubstr("bound by DRAM")));
    EXPECT_EQ(o.profile["times"], "measured");
    const auto& k = o.profile["kernels"][0];
    EXPECT_EQ(k["times"]["calls"], 2);
    EXPECT_DOUBLE_EQ(k["times"]["total_s"].get<double>(), 2 * 1000e-9);  // the counters' own, not nine passes
    EXPECT_EQ(k["counted"], 2);
    EXPECT_EQ(k["counts"]["global_atomic_requests"], 2 * 7);  // atomics with and without an answer
    EXPECT_EQ(k["grid"], (json{100, 1, 1}));
    EXPECT_EQ(k["dynamic_shared"], 64);
}

TEST_F(GpuRun, CountsTheFirstLaunchesAndTimesTheOthersUndisturbed) {
    std::vector<std::string> program;
    for (int k = 0; k < 8; ++k) program.insert(program.end(), {"launch", "k", "10", "32"});
    const auto o = run({}, program);
    const auto& k = o.profile["kernels"][0];
    EXPECT_EQ(k["counted"], 3);
    EXPECT_EQ(k["times"]["calls"], 8);
    EXPECT_DOUBLE_EQ(k["times"]["max_s"].get<double>(), 100e-9);
    EXPECT_THAT(o.error, HasSubstr("figures are those of 3 of them, averaged"));
    // The launches that were repeated are not the program's own calls; calls within calls are not shown.
    ASSERT_EQ(o.profile["calls"].size(), 1u);
    EXPECT_EQ(o.profile["calls"][0]["name"], "cudaLaunchKernel");
    EXPECT_EQ(o.profile["calls"][0]["times"]["calls"], 5);
}

TEST_F(GpuRun, ManyKernelsAreCountedInSessionsOfSeveralLaunches) {
    // 70 kernels once each: more than one session; each has its own counts. The other launches of `a` come between.
    std::vector<std::string> program;
    for (int k = 1; k <= 70; ++k)
        program.insert(program.end(), {"launch", "k" + std::to_string(k), std::to_string(k), "32"});
    for (int k = 0; k < 5; ++k) program.insert(program.end(), {"launch", "a", "7", "64"});
    program.insert(program.end(), {"launch", "z", "9", "32"});
    const auto o = run({}, program);
    ASSERT_EQ(o.profile["kernels"].size(), 72u);
    std::map<std::string, json> by;
    for (const auto& k : o.profile["kernels"]) by[k["name"]] = k;
    for (int k = 1; k <= 70; ++k) EXPECT_EQ(by["k" + std::to_string(k)]["counts"]["instructions"], 10 * k);
    EXPECT_EQ(by["a"]["counted"], 3);
    EXPECT_EQ(by["a"]["times"]["calls"], 5);
    EXPECT_EQ(by["a"]["counts"]["instructions"], 3 * 10 * 14);
    EXPECT_EQ(by["z"]["counts"]["instructions"], 90);
}

TEST_F(GpuRun, CountersOfWhichNobodyKnowsTheLaunchAreNotShown) {
    set("MADE_UP_LOSES", "1");
    std::vector<std::string> program = kProgram;
    program.insert(program.begin(), {"launch", "one", "1", "32", "launch", "one", "1", "32", "graph", "g"});
    const auto o = run({}, program);
    EXPECT_THAT(o.error, HasSubstr("no counters: 1 launch gave counters of 0"));
    for (const auto& k : o.profile["kernels"]) {
        EXPECT_EQ(k["counted"], 0);
        EXPECT_EQ(k["times"]["calls"], 2) << k;  // their records have times
    }
}

TEST_F(GpuRun, AfterAMixUpEachLaunchIsCountedByItself) {
    set("MADE_UP_ADDS", "1");
    std::vector<std::string> program{"launch", "k", "1", "32", "launch", "k", "1", "32", "graph", "g"};
    for (int k = 0; k < 5; ++k) program.insert(program.end(), {"launch", "k", "1", "32"});
    const auto o = run({}, program);
    const auto& k = o.profile["kernels"][0];
    EXPECT_EQ(k["counted"], 3);
    EXPECT_EQ(k["counts"]["instructions"], 30);
    EXPECT_EQ(k["times"]["calls"], 7);
}

TEST_F(GpuRun, KernelsOfAGraphAreTimedNotCounted) {
    const auto o = run({}, {"launch", "k", "1", "32", "graph", "g", "launch", "k", "1", "32"});
    std::map<std::string, json> by;
    for (const auto& k : o.profile["kernels"]) by[k["name"]] = k;
    EXPECT_EQ(by["k"]["counted"], 2);
    EXPECT_EQ(by["g"]["counted"], 0);
    EXPECT_EQ(by["g"]["times"]["calls"], 2);
}

TEST_F(GpuRun, SelectsKernelsAndLaunches) {
    const std::vector<std::string> program{"launch", "first",  "10",     "32",  "launch", "two", "20",
                                           "32",     "launch", "two",    "30",  "32",     "ex",  "two",
                                           "40",     "32",     "launch", "two", "50",     "32"};
    const auto o = run({"-k", "two", "-s", "1", "-c", "2"}, program);
    ASSERT_EQ(o.profile["kernels"].size(), 2u);
    EXPECT_EQ(o.profile["kernels"][0]["grid"][0], 30);
    EXPECT_EQ(o.profile["kernels"][1]["grid"][0], 40);
    EXPECT_THAT(o.error, Not(HasSubstr("first")));
}

TEST_F(GpuRun, GivesChosenMetricsOfOursAndOfTheHardware) {
    const auto o =
        run({"--metrics", "global_load_sectors,dram__bytes_read.sum,none__such.sum"}, {"launch", "k", "10", "32"});
    EXPECT_THAT(o.error, AllOf(HasSubstr("global_load_sectors"), HasSubstr("dram__bytes_read.sum"), HasSubstr("2560"),
                               HasSubstr("this GPU has no counter none__such.sum")));
    EXPECT_EQ(o.profile["counted_keys"], json{"global_load_sectors"});
}

TEST_F(GpuRun, TakesTheNameThatTheChipHasForACounter) {
    set("MADE_UP_NEW_CHIP", "1");
    const auto o = run({}, {"launch", "k", "10", "32"});
    EXPECT_DOUBLE_EQ(o.profile["kernels"][0]["metrics"]["dram__bytes_read.sum"].get<double>(), 2560);
}

TEST_F(GpuRun, WithoutPermissionSaysHowToGetItAndShowsTheRest) {
    set("MADE_UP_FORBIDDEN", "1");
    const auto o = run({}, kProgram);
    EXPECT_EQ(o.code, 7);
    EXPECT_THAT(o.error, AllOf(HasSubstr("ERR_NVGPUCTRPERM"), HasSubstr("NVreg_RestrictProfilingToAdminUsers=0"),
                               HasSubstr("nothing was counted")));
    EXPECT_EQ(o.profile["kernels"][0]["times"]["calls"], 2);
    EXPECT_EQ(o.profile["kernels"][0]["counted"], 0);
    EXPECT_EQ(o.profile["calls"][0]["times"]["calls"].get<int>() + o.profile["calls"][1]["times"]["calls"].get<int>(),
              4);
}

TEST_F(GpuRun, AnOldCuptiGivesTimesOnly) {
    set("MADE_UP_OLD", "1");  // reports CUDA 12.4; the made-up library has the entry points all the same
    const auto o = run({"--no-counters"}, kProgram);
    EXPECT_THAT(o.error, HasSubstr("(CUPTI 12.4)"));
    EXPECT_EQ(o.profile["kernels"][0]["counted"], 0);
    EXPECT_EQ(o.profile["replayed"], 0);
}

TEST_F(GpuRun, ALibraryThatCannotCountAndTraceAtATimeCounts) {
    set("MADE_UP_ALONE", "1");
    const auto o = run({}, kProgram);
    EXPECT_THAT(o.error, HasSubstr("does not time kernels while it counts"));
    EXPECT_EQ(o.profile["kernels"][0]["counted"], 2);
    EXPECT_EQ(o.profile["kernels"][0]["times"]["calls"], 2);
}

TEST_F(GpuRun, LaunchesThatAreRecordedIntoAGraphAreLeftAlone) {
    const auto o = run({}, {"capture", "1", "launch", "k", "10", "32", "capture", "0", "launch", "k", "10", "32"});
    EXPECT_EQ(o.profile["replayed"], 1);
}

TEST_F(GpuRun, SaysWhatDidNotWork) {
    set("MADE_UP_TAKEN", "1");
    EXPECT_THAT(run({}, kProgram).error, HasSubstr("another profiler is in the program"));
    set("MADE_UP_TAKEN", "0");
    set("MADE_UP_DROPS", "1");
    EXPECT_THAT(run({}, kProgram).error, HasSubstr("5 activity records were dropped"));
}

TEST_F(GpuRun, FilesSayThatTimesAreMeasured) {
    const std::string csv = folder_ / "p.csv", trace = folder_ / "t.json", html = folder_ / "p.html";
    const auto o = run({"--csv", csv, "--trace", trace, "--html", html}, kProgram);
    EXPECT_THAT(text_of(csv),
                AllOf(HasSubstr("time_measured_s"), HasSubstr("launches_counted"), Not(HasSubstr("predicted"))));
    // What was not counted is blank, not zero.
    std::istringstream lines(text_of(csv));
    std::string head, row;
    std::getline(lines, head), std::getline(lines, row);
    const auto split = [](const std::string& line) {
        std::vector<std::string> out(1);
        bool quoted = false;
        for (char c : line) {
            if (c == '"') quoted = !quoted;
            if (c == ',' && !quoted)
                out.emplace_back();
            else
                out.back() += c;
        }
        return out;
    };
    const auto names = split(head), values = split(row);
    ASSERT_EQ(names.size(), values.size());
    std::map<std::string, std::string> by;
    for (std::size_t k = 0; k < names.size(); ++k) by[names[k]] = values[k];
    EXPECT_EQ(by["barriers"], "");
    EXPECT_EQ(by["instructions"], "16000");
    EXPECT_EQ(by["local_load_requests"], "0");
    EXPECT_EQ(by["sm__warps_active.avg.pct_of_peak_sustained_active"], "42.5");
    const auto events = json::parse(text_of(trace));
    EXPECT_EQ(events["traceEvents"][0]["args"]["name"], "Made-up H200 (CUPTI 13.0) (times measured)");
    for (const auto& e : events["traceEvents"])
        if (e.contains("cat") && e["cat"] != "api") {
            EXPECT_EQ(e["tid"], 7) << e;  // all of them in stream 7
        }
    EXPECT_THAT(text_of(html), HasSubstr("All times were measured on"));
}

TEST_F(GpuRun, MissingThingsAreNamedInOneLineWithExitCode3) {
    set("WARPWRIGHT_CUPTI", "/nowhere/libcupti.so");
    auto o = run({}, kProgram);
    EXPECT_EQ(o.code, 3);
    EXPECT_THAT(o.error, AllOf(HasSubstr("CUPTI"), HasSubstr("WARPWRIGHT_CUPTI")));
    EXPECT_EQ(std::count(o.error.begin(), o.error.end(), '\n'), 1);
    EXPECT_EQ(o.out, "");  // the program did not start
    set("WARPWRIGHT_CUPTI", WARPWRIGHT_MADE_UP);
    set("MADE_UP_NEWER", "1");
    o = run({}, kProgram);
    EXPECT_EQ(o.code, 3);
    EXPECT_THAT(o.error, HasSubstr("newer than the driver"));
}

/// A process of its own: the driver is looked for once in each.
TEST_F(GpuRun, WithoutADriverItEndsWithExitCode3) {
    testing::GTEST_FLAG(death_test_style) = "threadsafe";
    const auto ends = [this](const char* variable, const char* value) {
        set(variable, value);
        std::vector<const char*> argv{"warpwright", "run", "--device", "cuda", WARPWRIGHT_MADE_UP_PROGRAM};
        cli::Console console(stdout, stderr);
        std::exit(cli::run(static_cast<int>(argv.size()), argv.data(), console));
    };
    EXPECT_EXIT(ends("WARPWRIGHT_LIBCUDA", "/nowhere/libcuda.so.1"), testing::ExitedWithCode(3), "no NVIDIA driver");
    EXPECT_EXIT(ends("MADE_UP_NO_GPU", "1"), testing::ExitedWithCode(3), "error");
    EXPECT_EXIT(ends("WARPWRIGHT_INJECT", ""), testing::ExitedWithCode(0), "");  // found in the build tree
}

TEST_F(GpuRun, OptionsOfTheEmulatedDeviceAreUsageErrors) {
    for (const char* option : {"--cpu=avx2", "--threads=2", "--timeout=1"}) {
        const auto o = run({option}, kProgram);
        EXPECT_EQ(o.code, 2) << option;
        EXPECT_THAT(o.error, HasSubstr("is of the emulated device"));
    }
}

TEST(CuptiVersions, BelongToCudaReleases) {
    EXPECT_EQ(cupti::release_of(130001), 13000);
    EXPECT_EQ(cupti::release_of(130200), 13020);
    EXPECT_EQ(cupti::release_of(24), 12060);
    EXPECT_EQ(cupti::release_of(28), 12090);
    EXPECT_EQ(cupti::release_of(1), 10000);
}

}  // namespace run_test
}  // namespace warpwright
