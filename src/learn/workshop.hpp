// Tries a learner's kernel: at each hidden size with every checker on, then at one size for counts and predicted time.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "arch/model.hpp"
#include "device/device.hpp"
#include "ladder/run.hpp"
#include "learn/exercise.hpp"
#include "learn/launch_view.hpp"
#include "learn/programs.hpp"
#include "record/finding.hpp"
#include "record/record.hpp"
#include "support/disk_cache.hpp"

namespace warpwright::learn {

/// That a launch of a learner's kernel may execute, over all of its warps: what passes it is cut there, on every
/// machine.
inline constexpr std::uint64_t kMostInstructions = 50'000'000;

struct WorkshopOptions {
    std::string model;  ///< empty: the exercise's own
    std::string cpu;    ///< instruction set of the emulation; empty = the host's own
    unsigned threads = 0;
    /// Of a launch and of compiling its code, each; also of the compiler.
    std::chrono::milliseconds limit{10000};
    std::uint64_t most_instructions = kMostInstructions;
    std::vector<std::string> models = {};     ///< that the counted launch is held against besides
    std::shared_ptr<Programs> programs = {};  ///< for exercises whose file is a program
};

/// The kernel at one hidden size.
struct Trial {
    std::vector<std::int64_t> size;
    record::Record record;                  ///< with its verification where the launch came to its end
    std::vector<record::Finding> findings;  ///< with the fault that ended the launch, if one did
    std::optional<Error> problem;           ///< what ended it
};

/// All that is known of a kernel after it was tried.
struct Attempt {
    std::optional<Error> unusable;          ///< it does not compile, or lacks the kernel that is launched
    std::vector<Trial> trials;              ///< up to the first that went wrong
    std::optional<record::Record> counted;  ///< at Exercise::measured, by source line; only where all trials went well
    bool out_of_time = false;               ///< of that launch: its time limit was over before its simulation was
    LaunchView view;                        ///< of that launch
    std::string output;                     ///< what the kernel printed in the trials
};

/// What judging an attempt takes of the exercise's own files, besides the attempt.
struct Rehearsed {
    using Named = std::pair<std::string, std::string>;
    using Source = std::pair<std::string, std::vector<std::string>>;  ///< a file, and its macros
    std::map<Named, double> figures;      ///< by rung and metric; right answers by "" and the question's name
    std::map<Source, std::string> texts;  ///< PTX
    DiskCache::Entries host_code;
};

/// What a program is given: a size's numbers, and behind them the seed of its inputs.
std::vector<std::string> program_arguments(const std::vector<std::int64_t>& size, std::uint64_t seed);

class Workshop {
public:
    /// The exercise must outlive it. Errors: no such model, no compiler.
    static Result<std::unique_ptr<Workshop>> make(const Exercise& exercise, const WorkshopOptions& options);
    ~Workshop();

    /// Compiles all that judging this file takes, so that nothing is started afterwards. What does not compile is told
    /// by the attempt.
    Result<void> compile_all(const std::string& file);

    /// What was compiled from this file is not that any more.
    void changed(const std::string& file);
    /// What the compiler warned of in a file that was compiled, a line each.
    std::vector<std::string> warnings_of(const std::string& file) const;

    /// A rung of the exercise, or with `file` that file in its place. `seed`: of the hidden inputs.
    /// An error is none of the kernel's: no memory for the checkers, a device model that cannot be read.
    Result<Attempt> attempt(const ladder::Rung& rung, std::uint64_t seed, const std::string& file = "");

    const arch::DeviceModel& model() const { return model_; }

    /// What is known by then of the exercise's own files; host code only where DiskCache::note_entries() was called.
    Rehearsed rehearsed() const;
    void take(Rehearsed rehearsed);
    /// A figure of a rung, made once by `make`.
    Result<std::optional<double>> figure(const Rehearsed::Named& name,
                                         const std::function<Result<std::optional<double>>()>& make);

    /// Counts and predicted time of a rung of the exercise at Exercise::measured; made once.
    Result<record::Record> counted(const std::string& rung);
    /// Whether a rung that was counted has no predicted time because the launch's time limit was over.
    bool out_of_time(const std::string& rung) const { return out_of_time_.contains(rung); }

    /// The same of a program of the exercise, for exercises whose file is one.
    Result<ProgramRun> program_counted(const std::string& rung);
    /// What its reference does at a size; made once. Several threads may ask, once own_program() has built it.
    Result<ProgramRun> program_expected(const std::vector<std::int64_t>& size, std::uint64_t seed);
    /// A file of the exercise, built; made once.
    Result<std::string> own_program(const std::string& rung);
    /// Errors: usage, where nobody can build programs.
    Result<Programs*> programs() const;

private:
    Workshop(const Exercise& exercise, const WorkshopOptions& options, arch::DeviceModel model,
             std::vector<arch::DeviceModel> others);
    struct Run {
        record::Record record;
        std::optional<Error> problem;
        std::vector<record::Finding> findings;
        std::string output;
        LaunchView view;
        bool out_of_time = false;
    };
    Result<std::unique_ptr<device::Device>> device(const ladder::Rung& rung, bool checked) const;
    bool includes_ours(const std::string& file) const;
    void compile(device::Device& device, const std::vector<ladder::Rung>& rungs) const;
    void add_rung(std::vector<ladder::Rung>& to, const std::string& name) const;
    ladder::CompileFunction compiler() const;
    class Bench;
    Result<Run> counted_run(const ladder::Rung& rung) const;

    const Exercise& exercise_;
    const WorkshopOptions options_;
    const arch::DeviceModel model_;
    const std::vector<arch::DeviceModel> others_;
    struct Texts;
    std::shared_ptr<Texts> texts_;
    std::map<Rehearsed::Named, double> figures_;
    std::map<std::string, Result<record::Record>> counted_;
    std::set<std::string> out_of_time_;
    std::map<std::string, Result<std::string>> built_;
    std::map<std::string, Result<ProgramRun>> program_counted_;
    std::mutex expected_mutex_;
    std::map<std::vector<std::string>, Result<ProgramRun>> program_expected_;  ///< by its arguments
};

}  // namespace warpwright::learn
