// What the user's words come to, before anything is done.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arch/model.hpp"
#include "cli/console.hpp"
#include "support/source_files.hpp"

namespace warpwright::cli {

/// Of every command that runs kernels.
struct RunOptions {
    std::string device = "auto";        ///< auto, emulated, cuda, cuda:N
    std::string model;                  ///< empty: h200, or on a real device the model that fits it
    std::string cpu;                    ///< of the emulation: "avx2", ...
    unsigned threads = 0;               ///< of the emulation and of the parallel CPU rungs; 0 = each usable core
    double timeout = 0;                 ///< seconds per launch; 0 = no limit
    std::optional<std::uint64_t> seed;  ///< absent: 1 on the emulated device, drawn anew where times are measured
    std::string predict;  ///< which launches are simulated: off, auto, all; empty: as the environment says, else auto
    bool bounds = false;  ///< none of them
    std::string ptxas;    ///< as the setting of this name, for which it stands; empty: as the environment says
    bool per_line = false;
    bool untrusted = false;                ///< in a confined child process, on the emulated device
    std::uint32_t checkers = 0;            ///< of the emulated device: a set of record::Checker
    std::shared_ptr<SourceFiles> sources;  ///< see device::EmulatedOptions
    std::string hosts;                     ///< likewise
};

/// How results are given.
struct OutputOptions {
    std::optional<std::string> json, csv;  ///< a file, or "-" for standard output
    bool brief = false;                    ///< three digits instead of whole counts, and no list of them
    std::vector<std::string> columns;
    bool no_why = false;   ///< leave out the rungs' sentences
    std::string language;  ///< of the table; empty: that of the locale
};

/// Where results are kept.
struct KeepOptions {
    std::string db;     ///< empty: the user's own
    std::string label;  ///< a name for the run
    bool none = false;
    bool resume = false;  ///< take what interrupted runs of the same command have
};

/// How a page (record/page.hpp) is given beside the terminal.
struct PageOptions {
    bool all = false;                                      ///< every experiment and ladder, small
    bool page = false;                                     ///< a ladder's whole page instead of its table
    std::string language;                                  ///< empty: that of the locale
    std::optional<std::string> html, markdown, svg, json;  ///< a file, two folders, a file
    bool any_file() const { return html || markdown || svg || json; }
};

/// Values that `tune` found best.
struct TunedOptions {
    std::string file;   ///< empty: tuned.toml beside the user's own database
    bool none = false;  ///< leave them out
};

struct LabOptions {
    std::string ladder;  ///< a ladder or an experiment; empty: list them
    bool list = false;   ///< list them, whatever else is said
    std::string filter;  ///< a regular expression that rungs' names match in part; empty: none
    std::vector<std::string> sizes, rungs;
    std::vector<std::string> axes;    ///< "T=int32"
    std::vector<std::string> models;  ///< device models to compare; {"all"}: every one; empty: the one of `run`
    std::string cache = "cold";       ///< of a real device while it is timed: cold or warm
    bool no_time = false;             ///< on a real device: run and verify, each rung once
    std::string self;                 ///< the program's file, for going on in a new process; empty: it cannot
    std::vector<std::string> words;   ///< its command line
    std::optional<std::string> input_file, output_file;  ///< of experiments that read or write one
    unsigned devices = 0;  ///< emulated devices, where several matter; 0: the experiment's own
    KeepOptions keep;
    PageOptions pages;
    std::string go_on;  ///< where an earlier process of this sweep stopped
    TunedOptions tuned;
    RunOptions run;
    OutputOptions output;
};

struct TuneOptions {
    std::string ladder;
    std::vector<std::string> sizes, rungs, axes;
    std::string search = "exhaustive";
    double budget = 0;             ///< seconds; 0 = no limit
    std::uint64_t candidates = 0;  ///< of each rung, problem and size; 0 = the search's own
    std::string cache = "cold";
    std::string output;  ///< the file of tuned values; empty: the user's own
    std::string self;    ///< the program's file, for going on in a new process; empty: it cannot
    std::vector<std::string> words;
    KeepOptions keep;
    std::string go_on;
    RunOptions run;
    OutputOptions result;  ///< JSON and CSV alone
};

struct LaunchOptions {
    std::string file, kernel, grid = "1", block = "1";
    std::uint64_t shared = 0;
    std::vector<std::string> arguments, outputs, defines, includes;
    std::vector<std::string> models;        ///< device models to compare; {"all"}: every one; empty: the one of `run`
    std::string timeline;                   ///< a file (.html or .json) for what warps do; empty: none
    std::uint64_t timeline_cycles = 20000;  ///< how many cycles that shows
    bool cooperative = false;
    bool hosts = false;         ///< the processes of an mpirun share the launch
    std::string dump_ir;        ///< print the warp IR after this pass, after "each", or with "shapes"; empty: launch
    bool dump_machine = false;  ///< print the machine view
    bool dumps() const { return !dump_ir.empty() || dump_machine; }  ///< nothing is launched then
    RunOptions run;
    OutputOptions output;
};

/// Whole programs: run and build (and check).
struct ProgramOptions {
    std::vector<std::string> words;  ///< the program and its arguments; of build: the sources
    std::vector<std::string> more_sources;
    std::string program;                                ///< of build: what it makes
    std::string kernel;                                 ///< a name, part of one, or /a regular expression/; empty: all
    std::uint64_t launches = 0, skip = 0;               ///< of the kernels chosen: how many, after how many; 0 = all
    std::vector<std::string> metrics;                   ///< counts by key, in place of the report
    std::optional<std::string> json, csv, html, trace;  ///< files; "-" for standard output
    std::vector<std::string> models;                    ///< of run: device models for times beside; {"all"}: every one
    std::string base, findings;                         ///< files whose contents the page of --html shows as well
    std::string log;                                    ///< file for the report; empty: standard error
    std::string language;                               ///< of the report; empty: that of the locale
    bool quiet = false;                                 ///< no report
    bool gpu_trace = false;                             ///< each kernel and copy in its order, in place of the summary
    bool gpu_summary = false;                           ///< the report, which is printed anyway
    bool query_metrics = false;                         ///< list the counts, and run nothing
    std::string output;                                 ///< a file whose ending says which of those it is
    std::string set, section;                           ///< Nsight Compute's; everything is always counted
    bool overwrite = false;                             ///< likewise: files are always written anew
    bool no_counters = false;                           ///< times only
    std::string host_clock = "modelled";                ///< what the program's own clocks show, or "real"
    bool profile_emulator = false;                      ///< where this machine's own time goes
    bool strict = false;                                ///< accesses past an allocation's end are errors
    std::string digest;                                 ///< file for digests of memory after each launch
    bool sample = false;                                ///< a part of the blocks stands for all
    double sample_error = 0;                            ///< relative error that is aimed at; 0: the default
    bool hosts = false;                                 ///< the processes of an mpirun share large launches
    std::vector<std::string> defines, includes, flags;  ///< for the compiler
    std::vector<std::string> host_flags;                ///< for the host's code alone
    std::string cuda_path;
    std::string memory_file;  ///< the folder for device memory's file; empty: this machine's memory
    double memory_limit = 0;  ///< GB; 0: by the machine
    unsigned devices = 0;     ///< emulated ones; 0: as the environment says, else one
    std::string topology;  ///< how they are linked: nvlink or pcie; empty: as the environment says, or the model has it
    bool host_lines = false;  ///< line information in the host's code as well
    std::string command;      ///< of run: what the user typed
    KeepOptions keep;
    RunOptions run;
};

struct DeviceOptions {
    std::string name;  ///< a model or device; empty: list them
    bool measure = false;
    bool deep = false;                 ///< the figures of the model of time as well
    double within = 0;                 ///< seconds, after which nothing is begun; 0: no limit
    std::vector<std::string> groups;   ///< of what is measured; empty: all
    std::optional<std::string> save;   ///< the model file; absent: a name of its own where --model finds it
    std::optional<std::string> model;  ///< the model to start from; absent: the one that fits the device
    RunOptions run;
    OutputOptions output;
};

struct OccupancyOptions {
    std::string model = arch::kDefaultModel;
    std::uint32_t registers = 32;
    std::uint64_t shared = 0;
    std::string block;  ///< empty: a table over block sizes
    bool all = false;   ///< on every compute capability
    std::string over;   ///< "registers" or "shared": a table over that
};

int lab(const LabOptions& options, Console& console);
int lab_pages(const LabOptions& options, Console& console);          ///< experiments, and ladders as pages
int measure_device(const DeviceOptions& options, Console& console);  ///< device --measure
int run_whole(const ProgramOptions& options, Console& console);
int build(const ProgramOptions& options, Console& console);

}  // namespace warpwright::cli
