// The one record of everything counted, measured or predicted. Code that produces results fills these; every printer
// (table, CSV, JSON, HTML and the database) only reads them. The JSON form is schema 1: docs/records.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "record/counts.hpp"
#include "record/extent.hpp"
#include "record/predicted.hpp"
#include "support/result.hpp"

namespace warpwright::record {

inline constexpr int kSchema = 1;

/// One coordinate of the experiment: problem size, tile, element type, ...
struct Axis {
    std::string name;
    std::variant<std::int64_t, double, std::string> value;
    bool operator==(const Axis&) const = default;

    std::string text() const;
};

/// A measured time. Never emulation's own wall time: that is Record::emulation_s.
struct Time {
    double median_s = 0, min_s = 0;
    double spread = 0;  ///< half the interquartile range over the median
    std::uint32_t samples = 0;
    /// "cold": runs did not find their inputs in the device's caches; "warm": as the previous run left them; empty: not
    /// known.
    std::string cache = {};
    // While it was timed, as the driver reports: medians of the clocks, the highest power, what limited the clocks.
    std::optional<double> clock_mhz = {}, memory_clock_mhz = {}, power_w = {};
    std::vector<std::string> throttle = {};
    /// Of the work, where only a part was timed and multiplied up to all of it.
    std::optional<double> timed_share = {};
    bool operator==(const Time&) const = default;
};

/// A measured figure of the device itself, in a unit of its own: what `device --measure` measures.
struct Quantity {
    double median = 0;
    double best = 0;    ///< the highest rate, or the lowest latency
    double spread = 0;  ///< half the interquartile range over the median
    std::uint32_t samples = 0;
    std::string unit;             ///< "B/s", "FLOP/s", "op/s", "cycles", "s", "Hz"
    std::optional<double> sheet;  ///< the figure of the data sheet or the device model, in the same unit
    bool operator==(const Quantity&) const = default;
};

/// How many times faster than others of the same problem, measured in the same run.
struct Speedup {
    std::optional<double> first;   ///< over the first rung that ran on this device
    std::optional<double> cpu;     ///< over the fastest rung on the CPU
    std::optional<double> vendor;  ///< over the fastest of the vendor's libraries
    bool operator==(const Speedup&) const = default;
};

/// The least time that one resource needs for a kernel.
struct BoundTerm {
    std::string resource;  ///< "DRAM", "L2", "L1/shared", "load/store", "issue", "fp32", ...
    double seconds = 0;
    double share = 0;   ///< seconds over the bound's: 1 for the resource that binds
    std::string basis;  ///< what was counted and the rate it was divided by, for people
    /// Time if no cache saved any of the traffic; absent where caches cannot change it.
    std::optional<double> upper_seconds;
    bool operator==(const BoundTerm&) const = default;
};

/// The least time a kernel can take on a device model: the largest of its terms.
struct Bound {
    double seconds = 0;
    std::string binds;  ///< resource of the largest term; empty when there is none
    /// True if `seconds` is based on DRAM traffic that is estimated (from above), not known to be compulsory.
    bool estimated = false;
    std::vector<BoundTerm> terms;  ///< largest first
    std::vector<std::string> notes;
    bool operator==(const Bound&) const = default;
};

/// The rate of the resource that sets the bound, and how much of it was reached.
struct Ceiling {
    std::string resource;  ///< as in the bound: "DRAM", "fp32", "tensor bf16"
    double rate = 0;       ///< FLOP/s or bytes/s
    double share = 0;      ///< of it: the problem's FLOP or bytes over the median time
    std::string source;    ///< "measured" (on such a device), or "data sheet"
    bool operator==(const Ceiling&) const = default;
};

/// Who says how many registers a thread of a kernel has: we, from its PTX; the driver of a real device; or an assembler
/// of NVIDIA's, by its name ("ptxas 13.0").
inline constexpr std::string_view kEstimated = "estimated", kByDriver = "driver";
/// Behind "40 registers per thread" in a sentence: ", estimated", " by ptxas 13.0"; nothing for a real device.
inline std::string registers_note(std::string_view source) {
    if (source == kEstimated) return ", estimated";
    return source.empty() || source == kByDriver ? std::string() : " by " + std::string(source);
}

/// Occupancy and tail effect of a launch on a device model.
struct OccupancyRecord {
    std::uint32_t registers = 0;   ///< per thread
    std::string registers_source;  ///< who says that; empty where nobody noted it
    bool registers_estimated() const { return registers_source == kEstimated; }
    std::uint64_t shared = 0;             ///< bytes per block
    std::uint32_t blocks = 0, warps = 0;  ///< resident, per multiprocessor
    double fraction = 0;
    std::string limiter;
    double waves = 0;             ///< blocks of the grid over blocks resident on the device
    double wave_utilisation = 0;  ///< waves over whole waves: the part of the device that the tail leaves busy
    bool operator==(const OccupancyRecord&) const = default;
};

/// Arithmetic intensity. Absent where its divisor is zero or not known.
struct Intensity {
    std::optional<double> cgma;           ///< compute to global memory access: FLOP per 4-byte access requested
    std::optional<double> per_byte;       ///< FLOP per byte requested from global memory
    std::optional<double> per_dram_byte;  ///< FLOP per byte of DRAM traffic (as in the bound)
    bool operator==(const Intensity&) const = default;
};

/// The comparison of the result with the higher-precision reference.
struct Verification {
    std::uint64_t elements = 0, mismatches = 0;
    double max_absolute_error = 0, max_relative_error = 0;
    double tolerance = 0;
    std::string reference;
    std::string first_mismatch;  ///< "C[3][7]: 12.5, expected 12.25"; empty when all match
    std::string method;          ///< how the output was checked: "every element", or which, and how the rest
    bool operator==(const Verification&) const = default;
};

struct Record {
    std::string experiment;  ///< "matmul"; the ladder's or command's name
    std::string rung;        ///< name of the rung; empty outside ladders
    std::string kernel;      ///< the kernel's name; empty where several or none ran
    std::string library;     ///< the vendor's library that was called; empty for kernels of ours
    std::string unit;        ///< the unit whose rate bounds the arithmetic: "fp32", "bf16", ... (docs/ladder-files.md)
    std::vector<Axis> axes;  ///< in the order of the experiment
    std::string device;      ///< "emulated", "cuda:0", "cpu"
    std::string model;       ///< device model that bounds refer to; empty when none
    std::optional<Extent> grid, block;
    std::optional<bool> verified;  ///< absent where there is nothing to verify
    bool known_incorrect = false;  ///< a rung shown for being wrong
    std::optional<std::string> error;
    std::optional<std::string> left_out;  ///< why it was not run; no failure

    std::string title;               ///< the rung in a few words
    std::string change;              ///< what this rung changes and why, in sentences
    std::vector<std::string> notes;  ///< remarks for readers of the figures

    std::optional<double> flops, bytes;  ///< of the problem, by the ladder's formulas (not counted)
    std::optional<Time> time;
    std::optional<Quantity> quantity;
    std::optional<Speedup> speedup;
    std::optional<Predicted> predicted;
    std::string unpredicted;  ///< why there is a bound and no predicted time, though one was asked for
    std::optional<Bound> bound;
    std::optional<Ceiling> ceiling;
    std::optional<OccupancyRecord> occupancy;
    std::optional<Intensity> intensity;
    std::optional<Verification> verification;
    std::optional<double> emulation_s;  ///< host wall time of the emulation, compilation left out
    std::optional<double> compile_s;    ///< host wall time of compiling for the emulation
    std::string host_code;              ///< "quick" where a launch ended with code that is quick to make; empty: best
    std::optional<Counts> counts;
    /// Of counts that a sample of the blocks stands for: half the width of each one's 95 % interval. Absent: exact.
    std::optional<Counts> counts_error;
    std::vector<LineCounts> lines;  ///< with --per-line

    /// The rung's name, or the kernel's where there is no rung.
    const std::string& name() const { return rung.empty() ? kernel : rung; }
};

/// The machine and settings with which the records were made.
struct Environment {
    std::string version;  ///< of Warpwright
    std::string date;     ///< ISO 8601, UTC
    std::string cpu;      ///< host processor
    std::string target;   ///< instruction set the emulation was compiled for
    std::uint32_t host_threads = 0;
    std::string device;
    std::string model;
    // Of a real device; empty and 0 on the emulated one.
    std::string device_name = {};                ///< "NVIDIA H200"
    std::string driver = {};                     ///< "CUDA 13.0, driver 580.65.06"
    double clock_mhz = 0, memory_clock_mhz = 0;  ///< the highest
    bool operator==(const Environment&) const = default;
};

/// A date as people read it: "2026-11-23 14:37 UTC" of "2026-11-23T14:37:15Z". What is no such date stays as it is.
std::string readable_date(const std::string& iso);

struct RecordSet {
    Environment environment;
    std::vector<Record> records;
    std::string incomplete = {};  ///< why requested records are missing; empty: none are
};

/// JSON text of schema 1, indented, one line feed at the end. NaN and infinities become null; bytes that are not
/// UTF-8 become U+FFFD.
std::string to_json(const RecordSet& set);

/// One of the parts of that text, on one line.
std::string to_json(const Record& record);
std::string to_json(const Environment& environment);

/// Reads JSON text of schema 1; unknown keys are ignored. Errors (ErrorKind::input) name the place as
/// "records[2].grid", or line and column if the text is not JSON. `file` is its name in messages.
Result<RecordSet> from_json(const std::string& text, const std::string& file);

}  // namespace warpwright::record
