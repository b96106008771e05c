// The work of a whole program on a device: its kernels, copies and calls of the runtime library, summed up by name, and
// single events if they were asked for. The runtime library fills a profile while a program runs and writes it as JSON;
// the run command reads and prints it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "record/finding.hpp"
#include "record/launch_picture.hpp"
#include "record/metrics.hpp"
#include "record/record.hpp"
#include "record/sample.hpp"
#include "record/touched.hpp"
#include "support/result.hpp"

namespace warpwright::profile {

/// Individually measured times.
struct Times {
    std::uint64_t calls = 0;
    double total = 0, min = 0, max = 0;  ///< seconds
    void add(double seconds) {
        min = calls ? std::min(min, seconds) : seconds;
        max = calls ? std::max(max, seconds) : seconds;
        total += seconds;
        ++calls;
    }
    double average() const { return calls ? total / static_cast<double>(calls) : 0; }
};

/// What a run of the same program on another device model had of a kernel.
struct OnModel {
    std::string model;
    double seconds = 0;      ///< of an average launch; 0: there is no time, and `why` says why
    double total = 0;        ///< of all of them
    bool predicted = false;  ///< else it is the bound
    std::vector<record::Bottleneck> causes;
    std::string why;
};

/// Launches of one kernel with one grid and block.
struct KernelUse {
    std::string name;                     ///< linkage name
    bool from_device = false;             ///< launched by kernels, not by the host
    std::optional<std::uint32_t> device;  ///< on which it ran, where the program has several
    record::Extent grid, block;
    std::uint64_t dynamic_shared = 0, static_shared = 0;  ///< bytes per block
    std::uint32_t registers = 0;                          ///< per thread
    std::string registers_source;                         ///< as in record::OccupancyRecord
    /// Where launches of this kernel and shape differ in their figures, they are told apart: which of its launches was
    /// the first of these. 0: all are alike.
    std::uint64_t apart = 0;
    Times times;  ///< predicted on the device model, or measured
    /// The predicted mean launch, of those whose time could be predicted; absent where none could, and measured ones.
    std::optional<record::Predicted> predicted;
    /// Of its first simulated launch, where pictures are wanted.
    std::optional<record::LaunchPicture> picture;
    std::string unpredicted;  ///< why the time of the last launch that has none could not be: it is then the bound
    double host_seconds = 0;  ///< wall time of the emulation
    double compile_seconds = 0;
    record::Counts counts;      ///< of all launches together
    std::uint64_t counted = 0;  ///< launches that `counts` include
    record::Touched touched;    ///< by these launches; of the emulated device
    std::map<std::pair<std::string, unsigned>, record::Counts> lines;
    /// Its launches in their order; those that are alike and follow each other are one entry.
    struct Launches {
        std::uint64_t count = 0;
        double seconds = 0;     ///< of each
        record::Counts counts;  ///< of each; nothing where nothing was counted
    };
    std::vector<Launches> launches;
    std::uint64_t launches_left_out = 0;  ///< behind those: more entries than are kept
    std::vector<OnModel> models;          ///< of runs on other device models (`run --models`), in their order
    struct Sampled : record::Sample {
        std::uint64_t launches = 0;
    } sample;  ///< if a sample of the blocks ran; sums over launches
    /// For a real GPU: counters under the hardware's own names. Those that end in ".sum" are summed over all `counted`
    /// launches, others averaged.
    std::map<std::string, double> metrics;
    /// The counts of an average counted launch.
    record::Counts average_counts() const {
        record::Counts out;
        for (unsigned i = 0; counted && i < record::kCounts; ++i) out.values[i] = counts.values[i] / counted;
        return out;
    }
    record::Touched average_touched() const {
        return counted
                   ? record::Touched{touched.read / counted, touched.written / counted, touched.joined.over(counted)}
                   : record::Touched{};
    }
    std::optional<double> metric(const std::string& hardware) const {
        auto at = metrics.find(hardware);
        if (at == metrics.end() || counted == 0) return std::nullopt;
        return hardware.ends_with(".sum") ? at->second / static_cast<double>(counted) : at->second;
    }
};

/// One launch, copy or call, for timelines.
struct Event {
    enum class Kind : std::uint8_t { kernel, copy, call } kind = Kind::kernel;
    std::uint32_t what = 0;  ///< index in kernels, copies or calls
    std::uint64_t lane = 0;  ///< stream, or host thread of a call
    double start = 0, seconds = 0;
    std::uint64_t number = 0;  ///< of a kernel: which of its launches, from 0; of a copy: its bytes
};

/// Where the time of the machine went that ran the emulation (run --profile-emulator): figures of that machine and that
/// run, not of the device.
struct EmulatorTime {
    double processor_seconds = 0;  ///< of the process
    std::uint64_t samples = 0;     ///< by which generated code is told apart
    struct Part {
        std::string work;  ///< a key of support/host_time.inc
        double seconds = 0;
    };
    std::vector<Part> parts;  ///< those that take most first
    struct Line {
        std::string kernel, file;  ///< linkage name; no file: only the line of PTX is known
        unsigned line = 0;
        std::uint32_t ptx_line = 0;
        std::string work;
        double seconds = 0;
    };
    std::vector<Line> lines;  ///< likewise; the first kMostLines of them
    static constexpr std::size_t kMostLines = 200;
};

struct Fault {
    std::string kernel, text;
};

struct Profile {
    std::string model, model_file;          ///< for the times; for a real device: the model that fits it, if any
    std::string device;                     ///< the real GPU that measured everything here; empty: the emulated one
    std::vector<std::string> notes;         ///< notes that the reader needs, one per line
    std::vector<std::string> counted_keys;  ///< for a real GPU: the counts that it has; others are unknown, not zero
    std::uint64_t replayed = 0;             ///< for a real GPU: launches that were repeated for their counters
    unsigned passes = 0;                    ///< how often each of them ran
    double replay_seconds = 0;              ///< the time that took
    std::vector<std::string> program;
    double host_seconds = 0;  ///< from the first call to the end
    std::string host_clock;   ///< what the program's own clocks were: "modelled" or "real"; empty: not known
    bool counted = true, per_line = false;
    /// What holds the program as a whole back, the largest share of its time first; each launch has its own.
    std::vector<record::Bottleneck> causes;
    std::vector<KernelUse> kernels;
    struct Copy {
        std::string name;  ///< "[CUDA memcpy HtoD]"
        Times times;
        std::uint64_t bytes = 0;
    };
    std::vector<Copy> copies;
    struct Call {
        std::string name;
        Times times;  ///< the host's own time
        std::uint64_t failed = 0;
    };
    std::vector<Call> calls;
    std::vector<Event> events;
    std::uint64_t events_dropped = 0;
    std::vector<Fault> faults;
    std::optional<EmulatorTime> emulator;  ///< where it was asked for
    /// Of the emulated device: accesses past an allocation's end that a GPU does not notice, each line of a kernel
    /// once.
    std::vector<record::Finding> findings;
    /// Texts of source files that its lines name, as they were when it ran; absent: they were not kept.
    std::map<std::string, std::string> sources;

    bool measured() const { return !device.empty(); }
    /// Whether a count is known at all; whether all counts are from which a metric is computed.
    bool knows(record::Count count) const {
        return !measured() ||
               std::find(counted_keys.begin(), counted_keys.end(), record::count_key(count)) != counted_keys.end();
    }
    bool knows(const record::Metric& metric) const {
        const auto counts = record::counts_in(metric);
        return std::all_of(counts.begin(), counts.end(), [this](record::Count c) { return knows(c); });
    }
};

std::string to_json(const Profile& profile);
/// Whether the text is JSON of a profile, of whatever version.
bool is_profile(const std::string& text);
Result<Profile> from_json(const std::string& text, const std::string& file);

}  // namespace warpwright::profile
