// Each program in programs/ checks itself: it ends with 0 and says "passed".
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "compile/process.hpp"
#include "programs.hpp"

namespace warpwright {
namespace programs_test {

TEST_P(Programs, PassTheirOwnChecks) {
    if (GetParam() == std::string("clusters")) arch_ = "sm_90";
    const auto ended = run();
    EXPECT_EQ(ended.signal, 0);
    EXPECT_EQ(ended.exit_code, 0) << ended.output << ended.errors;
    EXPECT_THAT(ended.output, HasSubstr("passed"));
}

INSTANTIATE_TEST_SUITE_P(All, Programs,
                         testing::Values("vector_add", "streams", "graphs", "memory", "memory_pools", "symbols",
                                         "textures", "cubemaps", "mipmaps", "surfaces", "references", "graph_nodes",
                                         "libraries", "errors", "launches", "threads", "many_threads", "stale_handles",
                                         "small_floats", "scoped_atomics", "managed", "nested", "conditional",
                                         "device_graphs", "groups", "libcu", "older_forms", "language", "halves",
                                         "wide_accesses", "graph_memory", "sizes", "heap", "reset", "mutated",
                                         "processes", "capture_rules", "launch_queue", "passes", "random_states",
                                         "untold", "clusters"),
                         [](const auto& info) { return std::string(info.param); });

/// -arch among the options, as programs give it: both sides are compiled for that.
class LibraryCode : public Programs {};

TEST_P(LibraryCode, IsCompiledForOneArchitectureOnBothSides) {
    const auto ended = run({}, ".cu", {"-arch=sm_90"});
    EXPECT_EQ(ended.exit_code, 0) << ended.output << ended.errors;
    EXPECT_THAT(ended.output, HasSubstr("passed"));
}

INSTANTIATE_TEST_SUITE_P(All, LibraryCode, testing::Values("library_code"));

/// Wrong launches of graphs by kernels each give one line, also in programs of nvcc's.
class DeviceGraphs : public Programs {
protected:
    static void expect_lines(const compile::ProcessResult& ended) {
        EXPECT_EQ(ended.exit_code, 0) << ended.output << ended.errors;
        EXPECT_THAT(ended.output, HasSubstr("passed"));
        for (const char* why :
             {"there is no such executable graph", "was not instantiated with cudaGraphInstantiateFlagDeviceLaunch",
              "must be uploaded or launched by the host first", "the stream must be one of cudaStreamGraph...",
              "only kernels of a graph launch graphs", "255 graphs wait for the tail already",
              "120 graphs wait to run at any time already"})
            EXPECT_THAT(ended.errors, testing::ContainsRegex(std::string("cudaGraphLaunch in a kernel: .*") + why));
    }
};

TEST_P(DeviceGraphs, LinesSayWhyGraphsDoNotRun) { expect_lines(run()); }

TEST_P(DeviceGraphs, OfNvccsPrograms) {
    if (std::string(WARPWRIGHT_TEST_NVCC).ends_with("NOTFOUND")) GTEST_SKIP() << "nvcc is not installed";
    expect_lines(run_nvcc("90", {"WARPWRIGHT_MODEL=h200"}, {"-rdc=true", "-lcudadevrt"}));
}

INSTANTIATE_TEST_SUITE_P(All, DeviceGraphs, testing::Values("device_graphs"),
                         [](const auto& info) { return std::string(info.param); });

/// Four ways to multiply, each checked against the host's loops.
class LaboratoryWork : public Programs {};

TEST_P(LaboratoryWork, AllResultsAgree) {
    const auto ended = run();
    EXPECT_EQ(ended.exit_code, 0) << ended.output << ended.errors;
    for (const char* way : {"naive", "row_buffer", "column_buffer", "blocks"})
        EXPECT_THAT(ended.output, testing::ContainsRegex(std::string(way) + " .* ms .* GFLOP/s .* agrees"));
    EXPECT_THAT(ended.output, Not(HasSubstr("DOES NOT AGREE")));
}

INSTANTIATE_TEST_SUITE_P(All, LaboratoryWork, testing::Values("laboratory_work"),
                         [](const auto& info) { return std::string(info.param); });

/// A picture read between its pixels, compared with the host's own means.
class TextureKernel : public Programs {};

TEST_P(TextureKernel, ReadsBetweenThePixels) {
    const auto ended = run();
    EXPECT_EQ(ended.exit_code, 0) << ended.output << ended.errors;
    EXPECT_THAT(ended.output, HasSubstr("0 of 4712 values differ"));
}

INSTANTIATE_TEST_SUITE_P(All, TextureKernel, testing::Values("texture_kernel"),
                         [](const auto& info) { return std::string(info.param); });

/// nvcc's -x cu for other extensions, and OpenMP with or without its library.
class Flags : public Programs {};

TEST_P(Flags, ReachBothSides) {
    const auto ended = run({}, ".cpp", {"-x", "cu", "-fopenmp"});
    EXPECT_EQ(ended.exit_code, 0) << ended.output << ended.errors;
    EXPECT_THAT(ended.output, HasSubstr("passed"));
}

INSTANTIATE_TEST_SUITE_P(All, Flags, testing::Values("host_threads"),
                         [](const auto& info) { return std::string(info.param); });

/// Separate compilation: functions and variables of one file that another uses.
class Separate : public Programs {};

TEST_P(Separate, FilesAreLinked) {
    const std::string other = std::string(GetParam()) + "_other.cu";
    const auto ended = run({"WARPWRIGHT_DEVICE_COUNT=2"}, ".cu", {"-rdc=true"}, {other});
    EXPECT_EQ(ended.exit_code, 0) << ended.output << ended.errors;
    EXPECT_THAT(ended.output, HasSubstr("passed"));
}

INSTANTIATE_TEST_SUITE_P(All, Separate, testing::Values("two_files", "two_files_managed"),
                         [](const auto& info) { return std::string(info.param); });

/// Grids that kernels launch stand in the profile, apart from those of the host, each with its exact counts.
class Nested : public Programs {};

TEST_P(Nested, GridsOfKernelsStandInTheProfile) {
    const std::string file = folder_ / "profile";
    const auto ended = run({"WARPWRIGHT_PROFILE=" + file, "WARPWRIGHT_EVENTS=1"});
    EXPECT_EQ(ended.exit_code, 0) << ended.output << ended.errors;
    std::ifstream in(file);
    const auto profile = nlohmann::json::parse(in, nullptr, false);
    std::uint64_t own = 0, nested = 0, events = 0;
    for (const auto& k : profile["kernels"]) {
        const std::string name = k["name"];
        const std::uint64_t calls = k["times"]["calls"];
        const bool from_device = k.value("from_device", false);
        if (name == "_Z4notePii") {
            EXPECT_TRUE(from_device);
            nested += calls;
            EXPECT_EQ(k["counts"]["global_atomic_requests"], calls);  // one thread each
        }
        if (name == "_Z4manyPii") {
            own += calls;
            EXPECT_FALSE(from_device);
        }
    }
    EXPECT_EQ(nested, 4u + 2048 + 2060);
    EXPECT_EQ(own, 2u);
    for (const auto& e : profile["events"])
        if (e[0] == 0 && profile["kernels"][e[1].get<std::size_t>()].value("from_device", false)) ++events;
    EXPECT_GE(events, nested);
}

INSTANTIATE_TEST_SUITE_P(All, Nested, testing::Values("nested"),
                         [](const auto& info) { return std::string(info.param); });

/// Times on the modelled clock are the model's: neither this machine nor the number of threads has a part in them.
class Times : public Programs {};

TEST_P(Times, AreThoseOfTheModel) {
    std::string first;
    for (const char* threads : {"1", "2", "2"}) {
        const auto ended = run({std::string("WARPWRIGHT_THREADS=") + threads});
        EXPECT_EQ(ended.exit_code, 0) << ended.output << ended.errors;
        EXPECT_THAT(ended.output, HasSubstr("passed"));
        if (first.empty()) first = ended.output;
        EXPECT_EQ(ended.output, first);
    }
}

INSTANTIATE_TEST_SUITE_P(All, Times, testing::Values("stream_times"),
                         [](const auto& info) { return std::string(info.param); });

/// The program's clocks go with the modelled one, on a device whose link is slower than any other cost.
class HostClocks : public Programs {
protected:
    std::string slow_model() const {
        std::ifstream in(WARPWRIGHT_SOURCE_DIR "/data/devices/h200.toml");
        const std::string file = folder_ / "slow.toml";
        std::ofstream out(file);
        for (std::string line; std::getline(in, line);) {
            for (const char* rate : {"to_device", "to_host", "pageable_to_device", "pageable_to_host"})
                if (line.starts_with(std::string(rate) + " =")) line = std::string(rate) + " = 1e4";
            out << line << '\n';
        }
        return file;
    }
};

TEST_P(HostClocks, WaitForTheModelledDevice) {
    if (!fs::exists(WARPWRIGHT_TEST_TAKEOVER)) GTEST_SKIP() << "x86-64 alone has the library that keeps them";
    const auto ended = run({"WARPWRIGHT_MODEL=" + slow_model(), "WARPWRIGHT_HOST_CLOCK=modelled",
                            "LD_PRELOAD=" WARPWRIGHT_TEST_TAKEOVER, "WARPWRIGHT_PROFILE=" + (folder_ / "p").string()});
    EXPECT_EQ(ended.exit_code, 0) << ended.output << ended.errors;
    EXPECT_THAT(ended.output, HasSubstr("passed"));
    std::ifstream in(folder_ / "p");
    EXPECT_EQ(nlohmann::json::parse(in)["host_clock"], "modelled");
}

TEST_P(HostClocks, AreTheSystemsWhereNothingKeepsThem) {
    const auto ended = run({"WARPWRIGHT_MODEL=" + slow_model(), "WARPWRIGHT_HOST_CLOCK=modelled"});
    EXPECT_EQ(ended.exit_code, 1);
    EXPECT_THAT(ended.errors, HasSubstr("the program's clocks are this machine's: libwarpwright_takeover.so"));
    const auto wrong = run({"WARPWRIGHT_MODEL=" + slow_model(), "WARPWRIGHT_HOST_CLOCK=slow"});
    EXPECT_THAT(wrong.errors, HasSubstr("WARPWRIGHT_HOST_CLOCK is 'slow'"));
}

INSTANTIATE_TEST_SUITE_P(All, HostClocks, testing::Values("host_clock"),
                         [](const auto& info) { return std::string(info.param); });

/// What ends the process in the middle of a kernel must not hang or crash it, and its own exit code stays.
class Endings : public Programs {};

TEST_P(Endings, ExitWhileAKernelRunsKeepsTheCode) {
    const auto ended = run();
    EXPECT_EQ(ended.signal, 0) << ended.errors;
    EXPECT_EQ(ended.exit_code, 7) << ended.output << ended.errors;
}

INSTANTIATE_TEST_SUITE_P(All, Endings, testing::Values("exit_in_kernel"),
                         [](const auto& info) { return std::string(info.param); });

/// A part of the blocks against all of them.
class Samples : public Programs {};

TEST_P(Samples, CountsAreThoseOfTheWholeWithinTheirIntervals) {
    using nlohmann::json;
    json profiles[2];
    for (int sampled = 0; sampled < 2; ++sampled) {
        const std::string file = folder_ / ("profile" + std::to_string(sampled));
        std::vector<std::string> environment{"WARPWRIGHT_PROFILE=" + file};
        if (sampled) environment.push_back("WARPWRIGHT_SAMPLE=0.05");
        const auto ended = run(environment);
        EXPECT_EQ(ended.exit_code, 0) << ended.output << ended.errors;
        std::ifstream in(file);
        profiles[sampled] = json::parse(in, nullptr, false);
    }
    const auto &whole = profiles[0]["kernels"], &part = profiles[1]["kernels"];
    ASSERT_EQ(whole.size(), 4u);
    ASSERT_EQ(part.size(), 4u);
    EXPECT_THAT(profiles[1]["notes"].dump(), HasSubstr("not defined"));
    for (std::size_t k = 0; k < 4; ++k) {
        const std::string name = whole[k]["name"];
        ASSERT_EQ(part[k]["name"], name);
        EXPECT_FALSE(whole[k].contains("sample"));
        const auto& s = part[k]["sample"];
        const bool waits = name.find("in_turn") != std::string::npos,
                   by_data = name.find("by_data") != std::string::npos;
        if (waits) {  // how often it asked is its own affair
            EXPECT_THAT(s["why_all"].get<std::string>(), HasSubstr("wait for other blocks"));
            EXPECT_EQ(s["blocks_run"], s["blocks"]);
            continue;
        }
        EXPECT_LT(s["blocks_run"].get<double>(), s["blocks"].get<double>() / 4) << name;
        for (const auto& [key, value] : whole[k]["counts"].items()) {
            const double truth = value, half = s["half_width_95"].value(key, 0.0);
            EXPECT_NEAR(part[k]["counts"].value(key, 0.0), truth, by_data ? 2 * half + 1 : 0) << name << " " << key;
            if (by_data && key == "instructions") {
                EXPECT_GT(half, 0);
                EXPECT_LE(half, 0.051 * truth);
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(All, Samples, testing::Values("sampled"),
                         [](const auto& info) { return std::string(info.param); });

/// What a kernel was compiled for is what its attributes say, and what decides whether a device takes it.
class Architectures : public Programs {};

constexpr const char* kNoImage =
    "attributes cudaErrorNoKernelImageForDevice, launch cudaErrorNoKernelImageForDevice, after it cudaSuccess";

TEST_P(Architectures, KernelsTellThoseOfTheirPtx) {
    for (const std::string arch : {"70", "80", "86", "90"}) {
        arch_ = "sm_" + arch;
        const auto ended = run();
        EXPECT_EQ(ended.exit_code, 0) << ended.output << ended.errors;
        EXPECT_EQ(ended.output, "ptx " + arch + ", binary 90, __CUDA_ARCH__ " + arch + "0\n");
    }
}

TEST_P(Architectures, PtxAboveTheDeviceIsRefused) {
    arch_ = "sm_80";
    const auto ended = run({"WARPWRIGHT_MODEL=v100"});
    EXPECT_EQ(ended.exit_code, 3) << ended.errors;
    EXPECT_THAT(ended.output, HasSubstr(kNoImage));
    EXPECT_THAT(ended.errors, HasSubstr("the program has PTX for compute_80: none of it runs on the device model of "
                                        "compute capability 7.0"));
    EXPECT_THAT(ended.errors, HasSubstr("-arch=compute_70"));
    EXPECT_THAT(ended.errors, HasSubstr("--model a100, b200, h100, h200"));
    // A program that was built for no architecture in particular is for every model.
    arch_ = "";
    EXPECT_EQ(run({"WARPWRIGHT_MODEL=v100"}).output, "ptx 80, binary 70, __CUDA_ARCH__ 800\n");
}

TEST_P(Architectures, ProgramsOfNvccToo) {
    if (std::string(WARPWRIGHT_TEST_NVCC).ends_with("NOTFOUND")) GTEST_SKIP() << "nvcc is not installed";
    for (const std::string arch : {"80", "90"}) {
        const auto ended = run_nvcc(arch, {});
        EXPECT_EQ(ended.exit_code, 0) << ended.output << ended.errors;
        EXPECT_EQ(ended.output, "ptx " + arch + ", binary 90, __CUDA_ARCH__ " + arch + "0\n");
    }
    const auto ended = run_nvcc("121", {});
    EXPECT_EQ(ended.exit_code, 3) << ended.errors;
    EXPECT_THAT(ended.output, HasSubstr(kNoImage));
    EXPECT_THAT(ended.errors, HasSubstr("the program has PTX for compute_121"));
    EXPECT_THAT(ended.errors, HasSubstr("there is no device model of compute capability 12.1 here"));
}

INSTANTIATE_TEST_SUITE_P(All, Architectures, testing::Values("attributes"),
                         [](const auto& info) { return std::string(info.param); });

/// Exit handlers and destructors of static objects may call the library, whenever they were registered.
class AtEnd : public Programs {};

TEST_P(AtEnd, TheLibraryWorksUpToTheLast) {
    const auto ended = run();
    EXPECT_EQ(ended.signal, 0) << ended.errors;
    EXPECT_EQ(ended.exit_code, 0) << ended.output << ended.errors;
    for (const char* line : {"kernel queued 2\n", "after 3 cudaSuccess cudaSuccess\n", "kernel later 3\n",
                             "before 4 cudaSuccess cudaSuccess\n", "destructor 5 cudaSuccess cudaSuccess\n",
                             "kernel later 5\n", "free cudaSuccess\n"})
        EXPECT_THAT(ended.output, HasSubstr(line));
}

INSTANTIATE_TEST_SUITE_P(All, AtEnd, testing::Values("at_end"),
                         [](const auto& info) { return std::string(info.param); });

/// Kernels take their predicted times: in the profile, with the reasons, and between events. Turned off, their bounds.
class Predicted : public Programs {};

TEST_P(Predicted, TimesAreInTheProfileAndBetweenEvents) {
    const std::string file = folder_ / "profile";
    nlohmann::json kernels[2];
    double events[2] = {};
    const char* const choices[] = {"off", "auto"};
    for (int k = 0; k < 2; ++k) {
        const auto ended = run({"WARPWRIGHT_PROFILE=" + file, std::string("WARPWRIGHT_PREDICT=") + choices[k]});
        EXPECT_EQ(ended.exit_code, 0) << ended.output << ended.errors;
        ASSERT_EQ(std::sscanf(ended.output.c_str(), "seconds %lf", &events[k]), 1) << ended.output;
        std::ifstream in(file);
        kernels[k] = nlohmann::json::parse(in, nullptr, false)["kernels"];
        ASSERT_EQ(kernels[k].size(), 1u);
    }
    EXPECT_FALSE(kernels[0][0].contains("predicted"));
    EXPECT_FALSE(kernels[0][0].contains("unpredicted")) << "none was wanted";
    const auto& p = kernels[1][0]["predicted"];
    EXPECT_EQ(p["method"], "simulated");
    EXPECT_EQ(p["launches"], 8);
    EXPECT_EQ(p["simulated"], 4) << "launches 1, 2, 4 and 8";
    for (const char* key : {"cycles", "issue", "occupancy", "l1_hit", "l2_hit", "dram_read", "dram_written", "error"})
        EXPECT_TRUE(p.contains(key)) << key;
    EXPECT_GT(p["stalls"]["long_scoreboard"], 0);
    const double seconds = p["seconds"], total = kernels[1][0]["times"]["total_s"];
    EXPECT_NEAR(total, 8 * seconds, 1e-9);
    EXPECT_GT(seconds, kernels[0][0]["times"]["total_s"].get<double>() / 8);
    EXPECT_GE(events[1], 7 * seconds * 0.99);
    EXPECT_GT(events[1], events[0]);
}

INSTANTIATE_TEST_SUITE_P(All, Predicted, testing::Values("predicted"),
                         [](const auto& info) { return std::string(info.param); });

/// Where this machine's time goes: of a kernel made of one kind of work, into that. Shares by wide margins.
class HostTime : public Programs {
protected:
    /// The profile's part, and the seconds of a kind of work.
    nlohmann::json time_of(const std::string& which) {
        const std::string file = folder_ / "profile";
        const auto ended =
            run({"WARPWRIGHT_PROFILE_EMULATOR=1", "WARPWRIGHT_PREDICT=off", "WARPWRIGHT_CODE=best", "WHICH=" + which,
                 "WARPWRIGHT_PROFILE=" + file, "WARPWRIGHT_CACHE=" + (folder_ / "cache").string()});
        EXPECT_EQ(ended.exit_code, 0) << ended.output << ended.errors;
        std::ifstream in(file);
        return nlohmann::json::parse(in, nullptr, false)["emulator"];
    }
    static double seconds(const nlohmann::json& time, const std::string& work) {
        for (const auto& part : time["parts"])
            if (part["work"] == work) return part["seconds"];
        return 0;
    }
};

TEST_P(HostTime, GoesWhereTheKernelsWorkIs) {
    std::ifstream in(WARPWRIGHT_SOURCE_DIR "/tests/cudart/programs/host_time.cu");
    std::vector<std::string> source;
    for (std::string line; std::getline(in, line);) source.push_back(line);
    for (const auto& [which, code] :
         {std::pair("gathers", "from[at]"), {"atomics", "atomicMax"}, {"arithmetic", "x * y"}}) {
        const auto time = time_of(which);
        double all = 0;  // of the kernel
        for (const char* work : {"blocks", "turns", "arithmetic", "branches", "memory", "gathers", "shared", "atomics",
                                 "barriers", "matrix", "units", "counting", "tracing"})
            all += seconds(time, work);
        EXPECT_GT(seconds(time, which), all / 2) << which << time;
        ASSERT_FALSE(time["lines"].empty()) << which;
        const auto& first = time["lines"][0];
        EXPECT_EQ(first["work"], which);
        EXPECT_THAT(first["file"].get<std::string>(), HasSubstr("host_time.cu"));
        const std::size_t line = first["line"];
        ASSERT_LE(line, source.size());
        EXPECT_THAT(source[line - 1], HasSubstr(code));
        double parts = 0;
        for (const auto& part : time["parts"]) parts += part["seconds"].get<double>();
        EXPECT_NEAR(parts, time["processor_s"], 0.01 * parts) << "all time is somebody's";
    }
}

TEST_P(HostTime, TellsTurnsAndCompiling) {
    const auto turns = time_of("turns");
    EXPECT_GT(seconds(turns, "turns"), seconds(turns, "blocks"));
    EXPECT_GT(seconds(turns, "turns"), seconds(turns, "gathers") + seconds(turns, "atomics"));
    const auto compiling = time_of("compiling");
    EXPECT_EQ(compiling["parts"][0]["work"], "compiling") << compiling;
    EXPECT_GT(seconds(compiling, "compiling"), compiling["processor_s"].get<double>() / 2);
}

INSTANTIATE_TEST_SUITE_P(All, HostTime, testing::Values("host_time"),
                         [](const auto& info) { return std::string(info.param); });

/// A device has more memory than most machines: what nothing touches costs nothing.
class LargeMemory : public Programs {};

TEST_P(LargeMemory, UntouchedPagesCostNothing) {
    const auto ended = run({"WARPWRIGHT_MEMORY_LIMIT=1"});
    EXPECT_EQ(ended.exit_code, 0) << ended.output << ended.errors;
    EXPECT_THAT(ended.output, HasSubstr("passed"));
}

TEST_P(LargeMemory, WhoOutgrowsItsLimitEndsWithALine) {
    const std::string file = folder_ / "profile";
    const auto ended = run({"WARPWRIGHT_MEMORY_LIMIT=0.5", "TOUCH=4000000000", "WARPWRIGHT_PROFILE=" + file});
    EXPECT_EQ(ended.signal, 0);
    EXPECT_EQ(ended.exit_code, 1) << ended.output << ended.errors;
    EXPECT_THAT(ended.errors, HasSubstr("outgrown this machine's memory"));
    EXPECT_THAT(ended.errors, HasSubstr("--memory-limit allows 0.5 GB"));
    EXPECT_THAT(ended.errors, HasSubstr("--memory-file FOLDER"));
    EXPECT_TRUE(fs::exists(file)) << "what it did up to there is told";
}

TEST_P(LargeMemory, AFileHoldsMoreThanTheLimit) {
    const auto ended =
        run({"WARPWRIGHT_MEMORY_LIMIT=0.5", "TOUCH=1000000000", "WARPWRIGHT_MEMORY_FILE=" + folder_.string()});
    EXPECT_EQ(ended.exit_code, 0) << ended.output << ended.errors;
    EXPECT_THAT(ended.output, HasSubstr("passed"));
    EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1) << "the program alone: the file has no name";
}

TEST_P(LargeMemory, AFolderThatCannotHoldItIsNamed) {
    const auto ended = run({"WARPWRIGHT_MEMORY_FILE=" + (folder_ / "none").string()});
    EXPECT_NE(ended.exit_code, 0);
    EXPECT_THAT(ended.errors, HasSubstr("for device memory can be made in '" + (folder_ / "none").string() + "'"));
}

INSTANTIATE_TEST_SUITE_P(All, LargeMemory, testing::Values("large_memory"),
                         [](const auto& info) { return std::string(info.param); });

/// What holds launches and the program back; launches of a kernel that differ in their figures stand apart.
class HeldBack : public Programs {};

TEST_P(HeldBack, IsInTheProfile) {
    const std::string file = folder_ / "profile";
    const auto ended = run({"WARPWRIGHT_PROFILE=" + file, "WARPWRIGHT_PREDICT=auto"});
    EXPECT_EQ(ended.exit_code, 0) << ended.output << ended.errors;
    std::ifstream in(file);
    const auto profile = nlohmann::json::parse(in, nullptr, false);
    const auto& kernels = profile["kernels"];
    ASSERT_EQ(kernels.size(), 2u) << kernels.dump();
    ASSERT_TRUE(kernels[0].contains("causes") && kernels[1].contains("causes") && profile.contains("causes"));
    EXPECT_EQ(kernels[0]["times"]["calls"], 2) << "the first and the third";
    EXPECT_EQ(kernels[0]["apart"], 1);
    EXPECT_EQ(kernels[1]["apart"], 2);
    const auto& cause = kernels[1]["causes"][0];
    EXPECT_EQ(cause["cause"], "uncoalesced_load");
    EXPECT_EQ(cause["line"], 5);
    EXPECT_EQ(cause["variable"], "from");
    EXPECT_EQ(cause["evidence"]["sectors_per_request"], 32);
    EXPECT_GT(cause["share"], 0.08);
    for (const auto& c : kernels[0]["causes"]) EXPECT_NE(c["cause"], "uncoalesced_load");
    EXPECT_EQ(profile["causes"][0]["cause"], "pageable_copies") << profile["causes"].dump();
}

INSTANTIATE_TEST_SUITE_P(All, HeldBack, testing::Values("held_back"),
                         [](const auto& info) { return std::string(info.param); });

/// An access that a GPU does not notice is told once, with its line; the profile has it as a finding.
class PastEnd : public Programs {};

TEST_P(PastEnd, IsToldAndTheProgramGoesOn) {
    const std::string file = folder_ / "profile";
    const auto ended = run({"WARPWRIGHT_PROFILE=" + file});
    EXPECT_EQ(ended.exit_code, 0) << ended.output << ended.errors;
    EXPECT_THAT(ended.output, HasSubstr("passed"));
    EXPECT_THAT(ended.errors, HasSubstr("past_end.cu:6"));
    EXPECT_THAT(ended.errors, HasSubstr("the end of an allocation of 1024"));
    EXPECT_THAT(ended.errors, HasSubstr("a GPU does not notice"));
    std::ifstream in(file);
    const auto findings = nlohmann::json::parse(in, nullptr, false)["findings"];
    ASSERT_EQ(findings.size(), 1u);  // the load and the store of one line
    EXPECT_EQ(findings[0]["kind"], "out-of-bounds");
    EXPECT_EQ(findings[0]["severity"], "warning");
    EXPECT_EQ(findings[0]["at"]["line"], 6);
    EXPECT_EQ(findings[0]["count"], 6);
    EXPECT_EQ(std::count(ended.errors.begin(), ended.errors.end(), '\n'), 1) << ended.errors;
}

TEST_P(PastEnd, EndsAStrictRunAndIsFoundByTheCheckers) {
    const auto strict = run({"WARPWRIGHT_STRICT=1"});
    EXPECT_EQ(strict.exit_code, 1) << strict.output << strict.errors;
    EXPECT_THAT(strict.output, HasSubstr("cudaErrorIllegalAddress"));
    EXPECT_THAT(strict.errors, HasSubstr("past_end.cu:6"));
    const std::string file = folder_ / "findings";
    (void)run({"WARPWRIGHT_MODE=check", "WARPWRIGHT_FINDINGS=" + file});
    std::ifstream in(file);
    const auto findings = nlohmann::json::parse(in, nullptr, false)["findings"];
    ASSERT_FALSE(findings.empty());
    EXPECT_EQ(findings[0]["kind"], "out-of-bounds");
    EXPECT_EQ(findings[0]["severity"], "error");
}

INSTANTIATE_TEST_SUITE_P(All, PastEnd, testing::Values("past_end"),
                         [](const auto& info) { return std::string(info.param); });

class Faults : public Programs {};

TEST_P(Faults, AreNamedWithTheirLine) {
    const auto ended = run();
    EXPECT_EQ(ended.exit_code, 0) << ended.output << ended.errors;
    EXPECT_THAT(ended.errors, HasSubstr("fault.cu:7"));
    EXPECT_THAT(ended.output, HasSubstr("cudaErrorIllegalAddress"));
}

INSTANTIATE_TEST_SUITE_P(All, Faults, testing::Values("fault"),
                         [](const auto& info) { return std::string(info.param); });

class Digests : public Programs {
protected:
    /// The lines of the digest of a run with these words.
    std::vector<std::string> lines_of(const std::string& name, const std::vector<std::string>& words) {
        const std::string file = folder_ / name;
        // As `run --digest` starts it: addresses are not drawn at random.
        std::vector<std::string> all{"/usr/bin/setarch", "-R", "/usr/bin/env", WARPWRIGHT_TEST_PRELOAD,
                                     "WARPWRIGHT_DIGEST=" + file};
        all.push_back(folder_ / "program");
        all.insert(all.end(), words.begin(), words.end());
        auto ran = compile::run_process(all);
        EXPECT_TRUE(ran.ok() && ran->exit_code == 0) << (ran ? ran->errors : ran.error().text());
        std::ifstream in(file);
        std::vector<std::string> lines;
        for (std::string line; std::getline(in, line);) lines.push_back(line);
        return lines;
    }
};

TEST_P(Digests, AreTheSameUntilMemoryDiffers) {
    ASSERT_EQ(run().exit_code, 0);
    const auto first = lines_of("first", {}), again = lines_of("again", {}), other = lines_of("other", {"word"});
    ASSERT_EQ(first.size(), 4u);
    if (first[0].ends_with("drawn anew")) GTEST_SKIP() << "this system draws addresses at random whatever is asked for";
    EXPECT_EQ(first, again);
    ASSERT_EQ(other.size(), 4u);
    EXPECT_EQ(first[1], other[1]);
    EXPECT_EQ(first[2], other[2]);
    EXPECT_NE(first[3], other[3]);
    EXPECT_THAT(first[1], HasSubstr("allocation 1:256="));
    EXPECT_THAT(first[2], Not(HasSubstr("allocation 1:256=")));  // only what changed
    EXPECT_THAT(first[3], HasSubstr("variable total:4="));
}

INSTANTIATE_TEST_SUITE_P(One, Digests, testing::Values("digest"));

}  // namespace programs_test
}  // namespace warpwright
