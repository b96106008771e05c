// Errors, missing memory and a lost device become records of their steps, and the sweep decides here what goes on.
// Everything that is told or stored goes through the observer, so that the sweep knows no command line.
#include "lab/sweep/sweep.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <new>
#include <numeric>

#include "host/machine.hpp"
#include "ladder/find.hpp"
#include "measure/cpu_rung.hpp"
#include "measure/speedups.hpp"
#include "predict/roofline.hpp"

namespace warpwright::lab {
namespace {

/// `launches`: of the rung that runs, where a model is asked about them.
ladder::RunOptions run_options(const Context& context, std::optional<ModelledLaunches>& launches) {
    ladder::RunOptions out;
    out.launch = context.options.launch;
    out.compile = [target = context.target](const std::string& path, const std::vector<std::string>& defines) {
        return compile_to_ptx(path, defines, {}, *target);
    };
    out.before = [&launches](const auto& kernel, const auto& config, auto& options) {
        if (launches) launches->before(kernel, config, options);
    };
    out.after = [&launches](const auto& kernel, const auto& config, const auto& result) {
        if (launches) launches->after(kernel, config, result);
    };
    return out;
}

Error no_host_memory() {
    return Error{ErrorKind::limit, "there is not enough host memory for inputs, reference and results", Location{},
                 "a smaller size"};
}

/// The buffers of an emulated device lie in the host's memory. Making inputs and a reference for a size that it cannot
/// hold would take minutes, before it is known.
Result<void> fits_this_machine(const ladder::Ladder& ladder, const Step& step) {
    auto shaped = ladder::Problem::shape(ladder, step.size, step.variant);
    const auto memory = host::memory_bytes();
    if (!shaped || memory == 0) return {};
    constexpr double kGiB = 1 << 30;
    const double wanted = static_cast<double>(shaped->memory()) / kGiB;
    const double all = static_cast<double>(memory) / kGiB;
    if (wanted <= all) return {};
    return Error{ErrorKind::limit,
                 fmt::format("the size {} needs {:.0f} GiB for its arrays, and this machine has {:.0f} GiB",
                             fmt::join(step.size, " x "), wanted, all),
                 Location{}, "a smaller --size"};
}

}  // namespace

Sweep::Sweep(const Context& context, Plan plan)
    : context_(context),
      observer_(context.observer ? *context.observer : silent_),
      plan_(std::move(plan)),
      session_(context.device, run_options(context, launches_)),
      libraries_(context.device, context.options.launch.timeout),
      done_(plan_.steps.size()) {}

void Sweep::begin_at(Standing standing) {
    standing_ = std::move(standing);
    const std::size_t all = std::min(standing_.done.size(), standing_.records.size());
    standing_.done.resize(all);
    standing_.records.resize(all);
    for (std::size_t step : standing_.done)
        if (step < done_.size()) done_[step] = true;
}

void Sweep::show(const std::string& label, std::size_t done) {
    observer_.progress({plan_.ladder->name, label, done, plan_.steps.size()});
}

Result<record::RecordSet> Sweep::run() {
    const std::size_t total = plan_.steps.size();
    show("compiling", 0);
    if (!context_.cancelled()) session_.compile_ahead(*plan_.ladder, to_compile(), context_.options.threads);
    if (auto ok = observer_.compiled(); !ok) return std::move(ok).error();
    any_ = !standing_.records.empty();
    for (std::size_t begin = 0, end = 0; begin < total && !cancelled_; begin = end) {
        while (end < total && plan_.steps[end].problem == plan_.steps[begin].problem) ++end;
        run_problem(begin, end);
    }
    if (session_.abandoned() || (!gone_ && device_is_gone())) leave();
    // Where no problem could be made that is all there is to say.
    if (!any_ && !cancelled_ && !refused_.empty()) return refused_.front();
    for (const Error& error : refused_) observer_.failed(error);
    if (gone_) observer_.failed(*gone_);
    observer_.ended(failure(), cancelled_);
    return result();
}

/// What is left of the first size, or of all of them, with the rungs that others are compared with.
std::vector<ladder::Session::Wanted> Sweep::to_compile() const {
    std::vector<ladder::Session::Wanted> out;
    for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
        const Step& step = plan_.steps[i];
        if (done_[i] || step.refused || (!context_.compile_first && step.size != plan_.steps.front().size)) continue;
        if (!context_.real() && !fits_this_machine(*plan_.ladder, step)) continue;  // its run says so, and at once
        out.push_back({step.rung, step.variant, step.size});
        if (auto reference = reference_of(step); reference && *reference)
            out.push_back({(*reference)->first, (*reference)->second, step.size});
    }
    return out;
}

/// A step that needs no run: it is refused, is known without running, was run before, or its device is gone.
bool Sweep::settle_without_running(std::size_t index) {
    const Step& step = plan_.steps[index];
    if (step.refused) {
        take(index, failed(step, *step.refused), true);
    } else if (auto run = without_running(step)) {
        take(index, std::move(*run), true);
    } else if (auto record = observer_.stored(described(step).record)) {
        any_ = true;
        keep(index, std::move(*record));
    } else if (gone_ && step.rung->cpu.empty()) {
        take(index, failed(step, *gone_), false);
    } else {
        return false;
    }
    return true;
}

/// Runs a step and readies it for timing together with the problem's others. Absent: it waits for its time. `lost`: the
/// device lost what was waiting, and all that is not done begins again.
std::optional<ladder::RungRun> Sweep::run_on_device(measure::Together& together, std::size_t index, bool& lost) {
    auto added = add(together, index);
    if (added.no_room) {
        lost = !time(together, index);
        if (lost) return std::nullopt;
        added = add(together, index);
    }
    if (!added.run) return std::nullopt;
    lost = added.run->problem &&
           (added.run->problem->kind == ErrorKind::fault || added.run->problem->kind == ErrorKind::no_device);
    return std::move(*added.run);
}

/// The steps [begin, end), which are one problem's.
void Sweep::run_problem(std::size_t begin, std::size_t end) {
    std::optional<Result<ladder::Problem>> problem;
    std::unique_ptr<measure::Together> together;
    measure::TimingOptions timing;
    timing.cold = context_.options.cold;
    timing.timeout = context_.options.launch.timeout;
    timing.rounds.seed = context_.options.seed;
    // A fault takes from a real device what waits to be timed there: then all that is not done begins again.
    for (bool again = true; again && !cancelled_;) {
        again = false;
        together.reset();
        const std::size_t before = standing_.done.size();
        for (std::size_t index = begin; index < end && !again; ++index) {
            if (done_[index]) continue;
            if ((cancelled_ = context_.cancelled())) return;
            const Step& step = plan_.steps[index];
            show(step.rung->name, index + 1);
            if (settle_without_running(index)) continue;
            if (!problem) {
                problem = make_problem(step);
                if (!*problem) refused_.push_back(problem->error());
            }
            if (!*problem) {
                take(index, failed(step, problem->error()), false);
                look_at_device();
                continue;
            }
            ladder::RungRun run;
            // With no_time a library's rung goes to the session, whose record says that it is not run.
            if (step.rung->cpu.empty() && context_.real() && !context_.options.no_time) {
                if (!together) together = std::make_unique<measure::Together>(session_, &libraries_, **problem, timing);
                auto ran = run_on_device(*together, index, again);
                if (!ran) continue;
                run = std::move(*ran);
            } else {
                run = run_step(step, **problem);
            }
            // What runs when the user stops the program may be stopped with it, a compiler for one.
            if (run.problem && context_.cancelled()) {
                cancelled_ = true;
                return;
            }
            any_ = true;
            take(index, std::move(run), true);
            look_at_device();
        }
        if (!again && together && together->waiting() > 0) {
            again = !time(*together, end);
            look_at_device();
        }
        if (again && standing_.done.size() == before) {  // never, unless a device says odd things
            const Error error{ErrorKind::internal, "the device lost what was to be timed", Location{}, ""};
            for (std::size_t index = begin; index < end; ++index)
                if (!done_[index]) take(index, failed(plan_.steps[index], error), true);
        }
    }
}

measure::Together::Added Sweep::add(measure::Together& together, std::size_t index) try {
    const Step& step = plan_.steps[index];
    return together.add(*step.rung, step.variant, index);
} catch (const std::bad_alloc&) {
    return {failed(plan_.steps[index], no_host_memory()), false};
}

/// What waits there; `done` steps were begun. False where some have no figure and are to begin again.
bool Sweep::time(measure::Together& together, std::size_t done) {
    const std::string label = fmt::format("timing {} rung{}", together.waiting(), together.waiting() == 1 ? "" : "s");
    auto timed = together.time([&](double part) {
        show(fmt::format("{}, {:.0f} %", label, 100 * part), done);
        return !context_.cancelled();
    });
    bool all = true;
    for (measure::Together::Timed& t : timed) {
        all = all && t.run;
        if (!t.run) continue;
        any_ = true;
        take(t.id, std::move(*t.run), true);
    }
    if (!all && context_.cancelled()) cancelled_ = true;
    return all;
}

/// Goes on in another process where the device is gone and there is something left to do.
void Sweep::look_at_device() {
    if (gone_ || std::find(done_.begin(), done_.end(), false) == done_.end() || !device_is_gone()) return;
    leave();
    gone_ = observer_.go_on(standing_);
}

void Sweep::leave() {
    must_stay_ = true;
    observer_.leave();
}

/// The records in the plan's order, compared with each other.
record::RecordSet Sweep::result() const {
    std::vector<std::size_t> order(standing_.records.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return standing_.done[a] < standing_.done[b]; });
    record::RecordSet set;
    for (std::size_t i : order) set.records.push_back(standing_.records[i]);
    std::vector<std::string> axes = plan_.ladder->size_names;
    for (const ladder::Axis& axis : plan_.ladder->axes) axes.push_back(axis.name);
    measure::compare(set.records, axes);
    set.environment = environment(context_);
    if (cancelled_)
        set.incomplete = fmt::format("stopped after {} of {} steps", set.records.size(), plan_.steps.size());
    return set;
}

ladder::RungRun Sweep::described(const Step& step) const {
    ladder::RungRun run;
    run.record.experiment = plan_.ladder->name;
    run.record.rung = step.rung->name;
    if (auto record = ladder::describe(*plan_.ladder, *step.rung, step.variant, step.size))
        run.record = std::move(*record);
    run.record.device = step.rung->cpu.empty() ? context_.device.name() : "cpu";
    return run;
}

/// The record of a rung that is left out, before anything is made for it.
std::optional<ladder::RungRun> Sweep::without_running(const Step& step) {
    const device::Limits* limits = step.rung->cpu.empty() ? &context_.device.limits() : nullptr;
    auto reason = ladder::why_left_out(*plan_.ladder, *step.rung, step.variant, step.size, limits);
    if (!reason || !*reason) return std::nullopt;  // an error comes out when it runs
    ladder::RungRun run = described(step);
    run.record.left_out = std::move(*reason);
    return run;
}

/// A rung that is not run, for a reason that lies outside it.
ladder::RungRun Sweep::failed(const Step& step, const Error& error) const {
    ladder::RungRun run = described(step);
    run.record.error = error.text();
    run.problem = error;
    return run;
}

ladder::RungRun Sweep::run_step(const Step& step, ladder::Problem& problem) try {
    if (!step.rung->cpu.empty()) {
        // Beside predicted times a CPU's time is an orientation; beside measured ones it is compared with them.
        measure::SampleOptions sampling;
        if (!context_.real()) sampling.max_seconds = 0.3;
        return measure::run_cpu_rung(*step.rung, step.variant, problem, context_.options.threads, sampling);
    }
    if (!context_.real()) launches_.emplace(context_.model, context_.options.simulate, context_.options.cold);
    return session_.run_rung(*step.rung, step.variant, problem);
} catch (const std::bad_alloc&) {
    return failed(step, no_host_memory());
}

/// The rung whose output a step's is compared with, in the step's variant; absent where no rung's is.
std::optional<Result<std::pair<const ladder::Rung*, ladder::Variant>>> Sweep::reference_of(const Step& step) const {
    const ladder::Ladder& ladder = *plan_.ladder;
    if (ladder.reference.kind != ladder::Reference::Kind::rung) return std::nullopt;
    for (const ladder::Rung& rung : ladder.rungs) {
        if (rung.name != ladder.reference.rung) continue;
        Axes same;
        for (std::size_t i = 0; i < ladder.axes.size(); ++i)
            same[step.variant[i].first] = {step.variant[i].second.text};
        auto choices = ladder::variants(ladder, rung, same);
        if (!choices) return std::move(choices).error();
        return std::pair{&rung, choices->front()};
    }
    return std::nullopt;
}

/// The step's problem, and its reference from a rung where that is what the ladder says.
Result<ladder::Problem> Sweep::make_problem(const Step& step) try {
    if (!context_.real())
        if (auto fits = fits_this_machine(*plan_.ladder, step); !fits) return std::move(fits).error();
    auto problem = ladder::Problem::make(*plan_.ladder, step.size, step.variant, context_.options.seed);
    if (!problem) return problem;
    auto reference = reference_of(step);
    if (!reference) return problem;
    if (!*reference) return std::move(*reference).error();
    const auto& [rung, variant] = **reference;
    auto run = session_.run_rung(*rung, variant, *problem);
    if (run.problem) return *run.problem;
    return problem;
} catch (const std::bad_alloc&) {
    return no_host_memory();
}

/// A fault, or a kernel that does not end, may have taken the device from this process.
bool Sweep::device_is_gone() {
    if (!context_.real() || !failed_) return false;
    failed_ = false;
    if (session_.stuck()) return true;
    auto probe = context_.device.allocate(0);
    if (probe) (void)context_.device.release(*probe).ok();
    return !probe && probe.error().kind == ErrorKind::no_device;
}

/// `says`: the error is told as well.
void Sweep::take(std::size_t index, ladder::RungRun run, bool says) {
    failed_ = failed_ || run.problem;
    std::optional<ErrorKind>& failure = standing_.failure;
    if (run.problem) {
        if (!failure) failure = run.problem->kind;
        if (says) {
            Error error = *run.problem;
            error.what = "rung '" + run.record.rung + "': " + error.what;
            observer_.failed(error);
        }
    } else if (run.record.verified == false && !run.record.known_incorrect && !failure) {
        failure = ErrorKind::fault;
    }
    if (launches_) launches_->annotate(run.record);
    launches_.reset();
    const bool ran = !run.problem && !run.record.left_out && run.record.device != "cpu";
    if (context_.real() && context_.model_fits && ran) predict::annotate_roofline(run.record, context_.model);
    if (!run.output.empty()) run.record.notes.push_back("the kernel printed: " + run.output);
    observer_.finished(run.record);
    keep(index, std::move(run.record));
}

void Sweep::keep(std::size_t index, record::Record record) {
    done_[index] = true;
    standing_.done.push_back(index);
    standing_.records.push_back(std::move(record));
}

Result<record::RecordSet> run_ladder(const Context& context, const std::string& name,
                                     const std::vector<std::string>& rungs, const Axes& axes,
                                     const std::vector<Size>& sizes) {
    auto ladder = ladder::find_ladder(name);
    if (!ladder) return std::move(ladder).error();
    auto plan = make_plan(std::move(*ladder), rungs, axes, sizes);
    if (!plan) return std::move(plan).error();
    return run_plan(context, std::move(*plan));
}

Result<record::RecordSet> run_plan(const Context& context, Plan plan) {
    // On the heap, for it may have to stay: something of it may still be at work when this ends.
    auto sweep = std::make_unique<Sweep>(context, std::move(plan));
    auto set = sweep->run();
    if (sweep->must_stay()) (void)sweep.release();
    return set;
}

}  // namespace warpwright::lab
