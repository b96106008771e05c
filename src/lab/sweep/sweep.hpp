// The sweep: the steps of a plan run one after the other, each verified and counted, and told of as soon as it is done.
// Where a device has a clock, the rungs of one problem are verified one after the other and then timed together, so
// their records are done when the problem is. What fails is recorded and the rest goes on.
#pragma once

#include <memory>

#include "lab/sweep/context.hpp"
#include "lab/sweep/modelled_launches.hpp"
#include "lab/sweep/plan.hpp"
#include "ladder/problem.hpp"
#include "measure/interleaved_timing.hpp"
#include "vendor/libraries.hpp"

namespace warpwright::lab {

class Sweep {
public:
    Sweep(const Context& context, Plan plan);

    /// Goes on where an earlier process stopped: what it did is not done again.
    void begin_at(Standing standing);

    /// Runs what is left, once. The records in the plan's order; where it was cancelled those there are, and
    /// RecordSet::incomplete says so. An error where no problem could be made at all.
    Result<record::RecordSet> run();

    /// What went wrong first, a wrong result as ErrorKind::fault.
    std::optional<ErrorKind> failure() const { return standing_.failure; }
    bool cancelled() const { return cancelled_; }
    /// Something that cannot be stopped uses this: it must not be destroyed, nor the device (Observer::leave was
    /// called).
    bool must_stay() const { return must_stay_; }

private:
    std::vector<ladder::Session::Wanted> to_compile() const;
    std::optional<Result<std::pair<const ladder::Rung*, ladder::Variant>>> reference_of(const Step& step) const;
    ladder::RungRun described(const Step& step) const;
    std::optional<ladder::RungRun> without_running(const Step& step);
    ladder::RungRun failed(const Step& step, const Error& error) const;
    void run_problem(std::size_t begin, std::size_t end);
    bool settle_without_running(std::size_t index);
    std::optional<ladder::RungRun> run_on_device(measure::Together& together, std::size_t index, bool& lost);
    ladder::RungRun run_step(const Step& step, ladder::Problem& problem);
    measure::Together::Added add(measure::Together& together, std::size_t index);
    bool time(measure::Together& together, std::size_t end);
    void show(const std::string& label, std::size_t done);
    void look_at_device();
    Result<ladder::Problem> make_problem(const Step& step);
    bool device_is_gone();
    void leave();
    void take(std::size_t index, ladder::RungRun run, bool says);
    void keep(std::size_t index, record::Record record);
    record::RecordSet result() const;

    Context context_;
    Observer silent_;
    Observer& observer_;
    Plan plan_;
    std::optional<ModelledLaunches> launches_;  ///< of the rung that runs on the emulated device
    ladder::Session session_;
    vendor::Libraries libraries_;  ///< opened when a rung asks for one
    Standing standing_;
    std::vector<bool> done_;      ///< by step
    std::vector<Error> refused_;  ///< of problems that could not be made
    bool any_ = false;            ///< there is a record of something that ran
    bool failed_ = false;         ///< since the device was last asked
    bool cancelled_ = false, must_stay_ = false;
    std::optional<Error> gone_;  ///< why nothing more is run on the device
};

/// A ladder by name or folder, from words to records: the whole of the above. The observer is told of errors, and of
/// the outcome (Observer::ended).
Result<record::RecordSet> run_ladder(const Context& context, const std::string& ladder,
                                     const std::vector<std::string>& rungs = {}, const Axes& axes = {},
                                     const std::vector<Size>& sizes = {});

/// The same of a plan.
Result<record::RecordSet> run_plan(const Context& context, Plan plan);

}  // namespace warpwright::lab
