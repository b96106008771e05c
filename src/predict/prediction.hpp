// The time that a launch is predicted to take: the one place that every command has it from.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "launch/config.hpp"
#include "launch/kernel_info.hpp"
#include "predict/bound.hpp"
#include "predict/causes.hpp"
#include "record/predicted.hpp"
#include "timing/prediction.hpp"

namespace warpwright::predict {

/// How far predictions were from times measured on an H100, on programs that nobody had looked at (docs/timing.md,
/// bench/prediction, the set "blind"): the median of the relative errors, and what nine of ten stay below.
struct Stated {
    static constexpr double kMedianError = 0.056, kNinetiethError = 0.254;
    static constexpr unsigned kComputeCapability = 90;
};

class EarlierSimulations;

/// Which launches are simulated; the others have their bounds, or a time scaled from the simulated ones.
enum class Simulate : std::uint8_t {
    none,
    within_budget,  ///< of each kernel and configuration some, as long as the budget lasts (Predictor)
    all
};
/// "off" or "0", "auto", "all" or "1".
std::optional<Simulate> parse_simulate(std::string_view text);
/// What to say where it is none of these. `where`: the option or setting.
Error no_such_choice(const std::string& where, const std::string& text);

/// What it means that warps stand there, in words for people; empty for a name that Predicted::stalls does not have.
std::string stall_meaning(std::string_view name);

/// By the simulated multiprocessor. An error (kind limit) says in a line why there is no predicted time: the launch is
/// not possible on the model, the model or the simulation lacks what the kernel needs, or the launch kept no trace
/// (Work::trace).
Result<record::Predicted> simulated(const Work& work, const arch::DeviceModel& model);

/// Predicts the launches of one program or rung, and decides which of them are simulated. Any thread may call it.
///
/// Within the budget, of each kernel with one grid, block and shared memory the launches number 1, 2, 4, 8, ... are
/// simulated. Another launch takes the time of the last simulated one of its kind, scaled by the ratio of their bounds,
/// so that its own counts still decide. The budget is in machine instructions and not in seconds, so that a program has
/// the same times each time it runs: kAhead, and a part of the warp instructions that were counted.
class Predictor {
public:
    static constexpr double kAhead = 4e6, kOfCounted = 1.0 / 150;

    Predictor(const arch::DeviceModel& model, Simulate which) : Predictor(model, which, false, {}, {}) {}
    /// With what holds each simulated launch back (causes.hpp), which takes a few simulations more. `source` as there.
    /// It is called by one thread at a time. `cache_directory`: where results of simulations are kept between runs
    /// (support/disk_cache.hpp); empty: they are not.
    Predictor(const arch::DeviceModel& model, Simulate which, SourceLine source, std::string cache_directory = {})
        : Predictor(model, which, true, std::move(source), std::move(cache_directory)) {}
    ~Predictor();

    /// What the next launch of this kernel must keep of its course.
    /// `parameters`: its arguments as they are passed, if they are known: launches with other numbers among them may do
    /// another kind of work, and the first few of these are simulated too.
    launch::TraceRequest trace_request(const launch::KernelInfo& kernel, const launch::LaunchConfig& config,
                                       std::span<const std::byte> parameters = {});
    /// Lets such a launch do without a trace, where an equal one has been simulated. For launches whose trace goes to
    /// predict() alone, with its work as launch_work() makes it; for use while this object lives.
    launch::KnownCourse known_course(const launch::KernelInfo& kernel, const launch::LaunchConfig& config);
    /// Of how many of its blocks that is; 0: it will not be simulated. `numbers`: tells arguments apart.
    std::uint32_t blocks_to_trace(const std::string& kernel, const Work& launch, std::uint64_t numbers = 0);
    /// The launch's time, after it has run. An error as of simulated(). Of a launch without a trace `work.touched`
    /// becomes what is used of the allocations in the last launch of its kind that had one (narrow_touched).
    Result<record::Predicted> predict(const std::string& kernel, Work& work);
    Result<record::Predicted> predict(const std::string& kernel, Work&& work) { return predict(kernel, work); }
    /// The same where nothing but its seconds is wanted: of a launch that is not simulated that takes less time.
    Result<double> seconds(const std::string& kernel, Work& work);

private:
    Predictor(const arch::DeviceModel& model, Simulate which, bool with_causes, SourceLine source,
              std::string cache_directory);
    using Key = std::tuple<std::string, std::uint64_t, std::uint64_t, std::uint32_t, std::uint64_t>;
    struct LaunchGroup {
        std::uint64_t launches = 0;
        /// The last simulated launch of each kind that differs in its figures (record::alike).
        struct Kind {
            record::Counts counts;
            record::Predicted predicted;
            double bound = 0;              ///< seconds
            double read = 1, written = 1;  ///< of the allocations that it touched, what it used
            /// A later launch with these counts that touched just as much is told the same.
            struct Again {
                record::Touched touched;
                double bound = 0;
            };
            mutable std::optional<Again> again = {};
        };
        std::vector<Kind> kinds;             ///< the last one simulated is the last
        std::vector<std::uint64_t> numbers;  ///< of arguments that were simulated
        std::string why;                     ///< it could not be simulated
        void keep(Kind kind);
        /// The one that is like a launch with these counts, else the last (`same`: whether it is); null where none is.
        const Kind* like(const record::Counts& counts, bool& same) const;
    };
    /// How the time of a launch that is not simulated follows from that of an earlier one.
    struct Scale {
        const LaunchGroup::Kind* kind = nullptr;
        bool same = false;  ///< `kind` is like it
        double least = 0;   ///< seconds: its bound
        double ratio = 1;   ///< of its bound to the earlier launch's
    };
    static Key key_of(const std::string& kernel, const Work& work);
    Result<Scale> scale_of(const std::string& kernel, Work& work);
    double bound_again(const LaunchGroup::Kind& kind, const Work& work) const;

    const arch::DeviceModel& model_;
    const Simulate which_;
    const bool with_causes_;
    const SourceLine source_;  ///< for one thread at a time
    std::mutex reading_;
    Result<record::Predicted> simulated_with_causes(const Work& work);
    const std::unique_ptr<EarlierSimulations> earlier_;
    std::mutex mutex_;
    std::map<Key, LaunchGroup> groups_;
    double simulated_ = 0, counted_ = 0;  ///< instructions
};

/// Puts a predicted time into a record, or the reason why it has none.
void annotate_prediction(record::Record& record, const Result<record::Predicted>& predicted);

}  // namespace warpwright::predict
