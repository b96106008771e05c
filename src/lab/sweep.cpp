#include "lab/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <numeric>

#include "ladder/find.hpp"
#include "measure/compare.hpp"
#include "measure/cpu_rung.hpp"
#include "measure/kernel_rung.hpp"
#include "measure/library_rung.hpp"
#include "predict/roofline.hpp"

namespace warpwright::lab {
namespace {

ladder::RunOptions run_options(const Context& context) {
    return {context.options.launch,
            [target = context.target](const std::string& path, const std::vector<std::string>& defines) {
                return compile_to_ptx(path, defines, {}, *target);
            }};
}

Error no_host_memory() {
    return Error{ErrorKind::limit, "there is not enough host memory for inputs, reference and results", Location{},
                 "a smaller size"};
}

}  // namespace

Sweep::Sweep(const Context& context, Plan plan)
    : context_(context),
      observer_(context.observer ? *context.observer : silent_),
      plan_(std::move(plan)),
      session_(context.device, run_options(context)),
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

Result<record::RecordSet> Sweep::run() {
    const std::size_t total = plan_.steps.size();
    const auto show = [&](const std::string& label, std::size_t done) {
        observer_.progress({plan_.ladder->name, label, done, total});
    };
    show("compiling", 0);
    std::vector<std::pair<const ladder::Rung*, ladder::Variant>> wanted;
    for (const Step& step : plan_.steps)
        if (step.size == plan_.steps.front().size) wanted.emplace_back(step.rung, step.variant);
    session_.compile_ahead(*plan_.ladder, wanted, context_.options.threads);

    std::vector<Error> refused;  // of problems that could not be made
    bool any = !standing_.records.empty();
    std::optional<Result<ladder::Problem>> problem;  // one problem's inputs in memory at a time
    std::size_t made = total;                        // which that is
    for (std::size_t index = 0; index < total; ++index) {
        if (done_[index]) continue;
        if ((cancelled_ = context_.cancelled())) break;
        const Step& step = plan_.steps[index];
        show(step.rung->name, index + 1);
        if (auto run = without_running(step)) {
            take(index, std::move(*run), true);
            continue;
        }
        if (auto record = observer_.stored(described(step).record)) {
            any = true;
            keep(index, std::move(*record));
            continue;
        }
        if (gone_ && step.rung->cpu.empty()) {
            take(index, failed(step, *gone_), false);
            continue;
        }
        if (!problem || made != step.problem) {
            problem.reset();
            problem = make_problem(step);
            made = step.problem;
            if (!*problem) refused.push_back(problem->error());
        }
        if (!*problem) {
            take(index, failed(step, problem->error()), false);
        } else {
            ladder::RungRun run = run_step(step, **problem);
            // What runs when the user stops the program may be stopped with it, a compiler for one.
            if (run.problem && context_.cancelled()) {
                cancelled_ = true;
                break;
            }
            any = true;
            take(index, std::move(run), true);
        }
        if (index + 1 < total && !gone_ && device_is_gone()) {
            leave();
            gone_ = observer_.go_on(standing_);
        }
    }
    if (session_.abandoned() || (!gone_ && device_is_gone())) leave();
    // Where no problem could be made that is all there is to say.
    if (!any && !cancelled_ && !refused.empty()) return refused.front();
    for (const Error& error : refused) observer_.failed(error);
    if (gone_) observer_.failed(*gone_);
    observer_.ended(failure(), cancelled_);
    return result();
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
    const Options& options = context_.options;
    if (!step.rung->cpu.empty()) return measure::run_cpu_rung(*step.rung, step.variant, problem, options.threads);
    // With no_time a library's rung falls through to the session, whose record says that it is not run.
    if (!context_.real() || options.no_time) return session_.run_rung(*step.rung, step.variant, problem);
    const measure::TimingOptions timing{options.cold, options.launch.timeout, {}};
    if (!step.rung->library.empty())
        return measure::run_library_rung(context_.device, libraries_, *step.rung, step.variant, problem, timing);
    return measure::run_kernel_rung(session_, *step.rung, step.variant, problem, timing);
} catch (const std::bad_alloc&) {
    return failed(step, no_host_memory());
}

/// The step's problem, and its reference from a rung where that is what the ladder says.
Result<ladder::Problem> Sweep::make_problem(const Step& step) try {
    const ladder::Ladder& ladder = *plan_.ladder;
    auto problem = ladder::Problem::make(ladder, step.size, step.variant, context_.options.seed);
    if (!problem || ladder.reference.kind != ladder::Reference::Kind::rung) return problem;
    for (const ladder::Rung& rung : ladder.rungs) {
        if (rung.name != ladder.reference.rung) continue;
        Axes same;
        for (std::size_t i = 0; i < ladder.axes.size(); ++i)
            same[step.variant[i].first] = {step.variant[i].second.text};
        auto choices = ladder::variants(ladder, rung, same);
        if (!choices) return std::move(choices).error();
        auto run = session_.run_rung(rung, choices->front(), *problem);
        if (run.problem) return *run.problem;
    }
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
    add_bound(run, context_.model);
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
    // On the heap, for it may have to stay: something of it may still be at work when this ends.
    auto sweep = std::make_unique<Sweep>(context, std::move(*plan));
    auto set = sweep->run();
    if (sweep->must_stay()) (void)sweep.release();
    return set;
}

}  // namespace warpwright::lab
