// What the user's words come to, before anything is done.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/console.hpp"

namespace warpwright::cli {

/// Of every command that runs kernels.
struct RunOptions {
    std::string device = "auto";  ///< auto, emulated, cuda, cuda:N
    std::string model;  ///< empty: h200, or on a real device the model that fits it
    std::string cpu;       ///< of the emulation: "avx2", ...
    unsigned threads = 0;  ///< of the emulation and of the parallel CPU rungs; 0 = all cores
    double timeout = 0;    ///< seconds a launch; 0 = no limit
    std::optional<std::uint64_t> seed;  ///< absent: 1 on the emulated device, drawn anew where times are measured
    bool per_line = false;
};

/// How results are given.
struct OutputOptions {
    std::optional<std::string> json, csv;  ///< a file, or "-" for standard output
    bool brief = false;                    ///< three digits instead of whole counts, and no list of them
    std::vector<std::string> columns;
    bool no_why = false;  ///< leave out the rungs' sentences
};

struct LabOptions {
    std::string ladder;  ///< empty: list the ladders
    std::vector<std::string> sizes, rungs;
    std::vector<std::string> axes;  ///< "T=int32"
    std::string cache = "cold";     ///< of a real device while it is timed: cold or warm
    bool no_time = false;           ///< on a real device: run and verify, each rung once
    std::string self;                ///< the program's file, for going on in a new process; empty: it cannot
    std::vector<std::string> words;  ///< its command line
    std::string go_on;               ///< where an earlier process of this sweep stopped
    RunOptions run;
    OutputOptions output;
};

struct LaunchOptions {
    std::string file, kernel, grid = "1", block = "1";
    std::uint64_t shared = 0;
    std::vector<std::string> arguments, outputs, defines, includes;
    bool cooperative = false;
    RunOptions run;
    OutputOptions output;
};

/// Whole programs: run and build (and check).
struct ProgramOptions {
    std::vector<std::string> words;  ///< the program and its arguments; of build: the sources
    std::vector<std::string> more_sources;
    std::string program;             ///< of build: what it makes
    std::string kernel;              ///< a name, part of one, or /a regular expression/; empty: all
    std::uint64_t launches = 0, skip = 0;  ///< of the kernels chosen: how many, after how many; 0 = all
    std::vector<std::string> metrics;      ///< counts by key, in place of the report
    std::optional<std::string> json, csv, html, trace;  ///< files; "-" for standard output
    std::string log;                 ///< file for the report; empty: standard error
    bool quiet = false;              ///< no report
    std::vector<std::string> defines, includes, flags;  ///< for the compiler
    std::string cuda_path;
    RunOptions run;
};

struct DeviceOptions {
    std::string name;                     ///< a model or device; empty: list them
    bool measure = false;
    std::vector<std::string> groups;      ///< of what is measured; empty: all
    std::optional<std::string> save;      ///< the model file; absent: a name of its own where --model finds it
    std::optional<std::string> model;     ///< the model to start from; absent: the one that fits the device
    RunOptions run;
    OutputOptions output;
};

struct OccupancyOptions {
    std::string model = "h200";
    std::uint32_t registers = 32;
    std::uint64_t shared = 0;
    std::string block;  ///< empty: a table over block sizes
};

int lab(const LabOptions& options, Console& console);
int launch(const LaunchOptions& options, Console& console);
int device(const DeviceOptions& options, Console& console);
int measure_device(const DeviceOptions& options, Console& console);  ///< device --measure
int occupancy(const OccupancyOptions& options, Console& console);
int run_whole(const ProgramOptions& options, Console& console);
int build(const ProgramOptions& options, Console& console);

}  // namespace warpwright::cli
