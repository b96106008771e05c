// Runs batches of candidates through the laboratory's sweep, keeps each one's seconds or reason, and tries the previous
// best where the search did not come to it.
#include "tune/tuner.hpp"
#include "text/counted.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <set>

#include "predict/estimate.hpp"

namespace warpwright::tune {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kBatch =
    4;  ///< compiled at a time on the emulated device, and verified and timed together on a real one

Choices words_of(const ladder::Variant& variant) {
    Choices out;
    for (const auto& [name, value] : variant) out.emplace_back(name, value.text);
    return out;
}

bool is_of(const record::Record& r, const lab::Step& step) {
    return r.rung == step.rung->name && std::all_of(step.variant.begin(), step.variant.end(), [&](const auto& choice) {
               return std::any_of(r.axes.begin(), r.axes.end(), [&](const record::Axis& a) {
                   return a.name == choice.first && a.text() == choice.second.text;
               });
           });
}

/// One rung, problem and size.
struct Target {
    const ladder::Rung* rung;
    lab::Size size;
    ladder::Variant problem;
    std::vector<ladder::Axis> axes;
    std::vector<lab::Step> refused;  ///< values that this rung does not accept
};

/// Forwards the events of a batch's sweep.
class Relay final : public lab::Observer {
public:
    Relay(const lab::Context& context, const Options& options, const Tuning& tuning)
        : context_(context),
          outer_(context.observer ? *context.observer : silent_),
          known_(options.standing.records),
          tuning_(tuning) {}

    void progress(const lab::Progress& p) override {
        // While a batch is compiled none of it runs.
        const std::size_t at = std::min(p.done, labels.size());
        const std::string what = at == 0 || p.label != rung ? rung + ": " + p.label : rung + " " + labels[at - 1];
        outer_.progress({p.ladder, what + best, done + at, std::max(total, done + at)});
    }
    // A failure is in its record, and in the summary with all others.
    void failed(const Error&) override {}
    void note(const std::string& text) override { outer_.note(text); }
    void leave() override { outer_.leave(); }
    void finished(const record::Record& record) override {
        if (record.error && context_.cancelled()) return;  // stopped with everything else
        outer_.finished(with_prediction(record));
    }
    std::optional<record::Record> stored(const record::Record& wanted) override {
        for (const record::Record& r : known_)
            if (r.experiment == wanted.experiment && r.rung == wanted.rung && r.axes == wanted.axes) return r;
        return outer_.stored(wanted);
    }
    Error go_on(const lab::Standing& standing) override {
        lab::Standing all;
        all.records = tuning_.set.records;
        all.records.insert(all.records.end(), standing.records.begin(), standing.records.end());
        all.done.resize(all.records.size());
        std::iota(all.done.begin(), all.done.end(), std::size_t{0});
        gone = outer_.go_on(all);
        return *gone;
    }

    record::Record with_prediction(record::Record record) const {
        if (!context_.real() && !record.error && !record.left_out && !record.predicted)
            record.predicted = predict::estimate(record, context_.model);
        return record;
    }
    bool out_of_time() const { return deadline && Clock::now() >= *deadline; }

    std::optional<Clock::time_point> deadline;
    std::optional<Error> gone;  ///< the device no longer answers
    std::string rung, best;
    std::vector<std::string> labels;  ///< of the batch
    std::size_t done = 0, total = 0;

private:
    const lab::Context& context_;
    lab::Observer silent_;
    lab::Observer& outer_;
    const std::vector<record::Record>& known_;
    const Tuning& tuning_;
};

class Tuner {
public:
    Tuner(const lab::Context& context, std::shared_ptr<const ladder::Ladder> ladder, const Options& options)
        : context_(context), ladder_(std::move(ladder)), options_(options), relay_(context_, options, tuning_) {
        tuning_.measured = context.real();
        tuning_.set.environment = lab::environment(context);
    }

    Result<Tuning> run(const std::vector<Target>& targets) {
        std::vector<Space> spaces;
        for (const Target& t : targets) {
            auto space = Space::make(*ladder_, *t.rung, t.size, t.problem, t.axes, &context_.device.limits());
            if (!space) return std::move(space).error();
            relay_.total += most(*space);
            spaces.push_back(std::move(*space));
        }
        const auto begin = Clock::now();
        std::optional<Error> first;  // why a target has no result
        for (std::size_t i = 0; i < targets.size() && !tuning_.cancelled && !relay_.gone; ++i) {
            if (options_.budget > 0) {
                const auto end = begin + std::chrono::duration<double>(options_.budget);
                const auto now = Clock::now();
                relay_.deadline = now + std::chrono::duration_cast<Clock::duration>(
                                            (end - now) / static_cast<double>(targets.size() - i));
            }
            if (auto ok = search(targets[i], spaces[i]); !ok) {
                if (!first) first = ok.error();
                if (!tuning_.outcomes.empty()) tuning_.outcomes.back().ended = ok.error().text();
            }
        }
        if (tuning_.set.records.empty() && first) return *first;
        if (relay_.gone && tuning_.set.records.empty()) return *relay_.gone;
        tuning_.set.environment = lab::environment(context_);  // with the compilers that were used
        if (tuning_.cancelled)
            tuning_.set.incomplete = "stopped after " + counted(tuning_.set.records.size(), "candidates");
        return std::move(tuning_);
    }

private:
    std::size_t most(const Space& space) const {
        const std::size_t all = space.candidates().size();
        if (options_.candidates > 0) return std::min(all, options_.candidates);
        if (options_.method == Method::exhaustive || options_.budget > 0) return all;
        return std::min(all, std::max<std::size_t>(8, (all + 2) / 3));
    }

    Result<void> search(const Target& t, const Space& space) {
        Outcome& out = tuning_.outcomes.emplace_back();
        out.rung = t.rung->name, out.size = t.size, out.problem = words_of(t.problem);
        out.combinations = space.size();
        for (const Refusal& r : space.refusals()) out.refused.emplace_back(words_of(space.choices(r.index)), r.why);
        for (const lab::Step& step : t.refused) out.refused.emplace_back(words_of(step.variant), step.refused->what);
        relay_.rung = t.rung->name, relay_.best.clear();

        if (t.axes.size() < t.rung->axes.size()) {
            out.ended = "none of the chosen values is one of this rung's";
            out.combinations = 0;
            return {};
        }
        // A real device times a batch together; on the emulated one a candidate's figure does not depend on others.
        auto search = make_search(options_.method, space, options_.seed, context_.real() ? kBatch : 1);
        const std::size_t limit = most(space), batch = options_.budget > 0 && !context_.real()
                                                           ? 1
                                                           : kBatch;  // the time is checked between batches
        std::set<std::size_t> tried;
        while (tried.size() < limit) {
            const auto points = search->next(std::min(batch, limit - tried.size()));
            if (points.empty()) {
                out.ended = search->ended();
                break;
            }
            tried.insert(points.begin(), points.end());
            auto seconds = measure(t, space, points, out);
            if (!seconds) return std::move(seconds).error();
            for (std::size_t i = 0; i < points.size(); ++i) search->tell(points[i], (*seconds)[i]);
            if (over(out)) return {};
        }
        if (out.ended.empty())
            out.ended = tried.size() == space.candidates().size()
                            ? "every candidate was tried"
                            : fmt::format("{} candidates were tried", tried.size());
        return try_earlier(t, space, tried, out);
    }

    bool over(Outcome& out) {
        tuning_.cancelled = context_.cancelled();
        if (tuning_.cancelled)
            out.ended = "interrupted";
        else if (relay_.gone)
            out.ended = relay_.gone->text();
        else if (relay_.out_of_time())
            out.ended = "the time is over";
        return !out.ended.empty();
    }

    /// Tries an earlier best that this search has not reached.
    Result<void> try_earlier(const Target& t, const Space& space, const std::set<std::size_t>& tried, Outcome& out) {
        Entry place;
        place.ladder = ladder_->name, place.rung = t.rung->name, place.size = t.size, place.problem = out.problem;
        set_device(place, tuning_.set.environment);
        const Entry* before = find(options_.before, place);
        if (!before) return {};
        ladder::Variant variant;
        for (const auto& [name, value] : before->axes)
            variant.emplace_back(name, ladder::AxisValue{value, std::nullopt});
        const auto index = space.find(variant);
        if (!index) {
            out.earlier = choices_text(before->axes);
            return {};
        }
        if (tried.contains(*index) || !space.is_candidate(*index)) return {};
        auto seconds = measure(t, space, {*index}, out);
        if (!seconds) return std::move(seconds).error();
        return {};
    }

    /// Seconds of each point, absent if it has no correct result; the records go into the set.
    Result<std::vector<std::optional<double>>> measure(const Target& t, const Space& space,
                                                       const std::vector<std::size_t>& points, Outcome& out) {
        lab::Plan plan{ladder_, {}};
        relay_.labels.clear();
        for (const std::size_t index : points) {
            ladder::Variant variant = t.problem;
            for (auto& choice : space.choices(index)) variant.push_back(std::move(choice));
            plan.steps.push_back({t.rung, std::move(variant), t.size, std::nullopt, 0});
            relay_.labels.push_back(choices_text(words_of(space.choices(index))));
        }
        const std::vector<lab::Step> steps = plan.steps;
        lab::Context context = context_;
        context.observer = &relay_;
        // On the heap, because it may have to stay: some of it may still run when this returns.
        auto sweep = std::make_unique<lab::Sweep>(context, std::move(plan));
        auto set = sweep->run();
        if (sweep->must_stay()) (void)sweep.release();
        if (!set) return std::move(set).error();
        std::vector<std::optional<double>> seconds(points.size());
        for (record::Record& r : set->records) {
            const auto step = std::find_if(steps.begin(), steps.end(), [&](const lab::Step& s) { return is_of(r, s); });
            if (step == steps.end() || (r.error && context_.cancelled())) continue;
            const auto i = static_cast<std::size_t>(step - steps.begin());
            r.speedup.reset();  // over others of the batch
            r = relay_.with_prediction(std::move(r));
            Candidate c;
            c.axes = words_of(space.choices(points[i]));
            c.seconds = seconds_of(r, c.problem);
            c.record = tuning_.set.records.size();
            seconds[i] = c.seconds;
            if (c.seconds && (!out.best || *c.seconds < *out.tried[*out.best].seconds)) {
                out.best = out.tried.size();
                relay_.best = fmt::format("; best {}", choices_text(c.axes));
            }
            out.tried.push_back(std::move(c));
            tuning_.set.records.push_back(std::move(r));
        }
        relay_.done += points.size();
        return seconds;
    }

    std::optional<double> seconds_of(const record::Record& r, std::string& problem) const {
        if (r.error)
            problem = *r.error;
        else if (r.left_out)
            problem = *r.left_out;
        else if (r.verified == false)
            problem = "the result is wrong" + (r.verification ? ": " + r.verification->first_mismatch : std::string());
        else if (tuning_.measured && r.time && r.time->median_s > 0)
            return r.time->median_s;
        else if (!tuning_.measured && r.predicted)
            return r.predicted->seconds;
        else
            problem = tuning_.measured ? "it has no time" : "the device model predicts no time of it";
        return std::nullopt;
    }

    const lab::Context& context_;
    std::shared_ptr<const ladder::Ladder> ladder_;
    const Options& options_;
    Tuning tuning_;
    Relay relay_;
};

/// The number of points that the axes of a rung have, before they are listed.
double combinations(const ladder::Ladder& ladder, const ladder::Rung& rung, const lab::Axes& axes) {
    double out = 1;
    for (const auto* list : {&ladder.axes, &rung.axes})
        for (const ladder::Axis& axis : *list) {
            const auto it = axes.find(axis.name);
            out *= static_cast<double>(it == axes.end() ? axis.values.size() : it->second.size());
        }
    return out;
}

Result<std::vector<Target>> targets_of(const lab::Plan& plan) {
    std::vector<Target> out;
    const std::size_t own = plan.ladder->axes.size();
    std::vector<std::size_t> problems;
    for (const lab::Step& step : plan.steps) {
        std::size_t at = 0;
        while (at < out.size() && !(out[at].rung == step.rung && problems[at] == step.problem)) ++at;
        if (at == out.size()) {
            const auto middle = step.variant.begin() + static_cast<std::ptrdiff_t>(own);
            out.push_back({step.rung, step.size, {step.variant.begin(), middle}, {}, {}});
            problems.push_back(step.problem);
        }
        Target& t = out[at];
        if (step.refused) {
            t.refused.push_back(step);
            continue;
        }
        for (std::size_t i = own; i < step.variant.size(); ++i) {
            const auto& [name, value] = step.variant[i];
            auto axis =
                std::find_if(t.axes.begin(), t.axes.end(), [&](const ladder::Axis& a) { return a.name == name; });
            if (axis == t.axes.end()) axis = t.axes.insert(t.axes.end(), ladder::Axis{name, {}, {}});
            if (std::find(axis->values.begin(), axis->values.end(), value) == axis->values.end())
                axis->values.push_back(value);
        }
    }
    // Numbers in ascending order, so that neighbours are similar.
    for (Target& t : out)
        for (ladder::Axis& axis : t.axes)
            if (std::all_of(axis.values.begin(), axis.values.end(),
                            [](const ladder::AxisValue& v) { return v.number.has_value(); }))
                std::stable_sort(axis.values.begin(), axis.values.end(),
                                 [](const auto& a, const auto& b) { return *a.number < *b.number; });
    std::erase_if(out, [](const Target& t) { return t.axes.empty() && t.refused.empty(); });
    return out;
}

}  // namespace

Result<Tuning> tune(const lab::Context& context, const ladder::Ladder& ladder, const std::vector<std::string>& words,
                    const lab::Axes& axes, const std::vector<lab::Size>& sizes, const Options& options) {
    auto rungs = ladder::select_rungs(ladder, words);
    if (!rungs) return std::move(rungs).error();
    std::vector<std::string> names;
    std::string with_axes;
    for (const ladder::Rung& rung : ladder.rungs)
        if (!rung.axes.empty()) with_axes += (with_axes.empty() ? "rungs with axes: " : " ") + rung.name;
    for (const ladder::Rung* rung : *rungs) {
        if (rung->axes.empty() || rung->known_incorrect) continue;
        names.push_back(rung->name);
        if (combinations(ladder, *rung, axes) > static_cast<double>(Space::kMostPoints))
            return Error{ErrorKind::usage,
                         fmt::format("the axes of '{}' make more than {} combinations", rung->name, Space::kMostPoints),
                         Location{}, "fewer values of each: --axis NAME=V,..."};
    }
    if (names.empty())
        return Error{ErrorKind::usage,
                     words.empty()
                         ? fmt::format("no rung of '{}' has axes of its own: there is nothing to tune", ladder.name)
                         : "the chosen rungs have no axes of their own: there is nothing to tune",
                     Location{}, with_axes};
    auto plan = lab::make_plan(ladder, names, axes, sizes);
    if (!plan) return std::move(plan).error();
    auto targets = targets_of(*plan);
    if (!targets) return std::move(targets).error();
    return Tuner(context, plan->ladder, options).run(*targets);
}

Told told_by(const Tuning& tuning, const Outcome& outcome) {
    Told out;
    if (!outcome.best) return out;
    const Candidate& best = outcome.tried[*outcome.best];
    const auto record_of = [&](const Candidate& c) -> const record::Record& { return tuning.set.records[c.record]; };
    std::vector<std::size_t> others;
    for (std::size_t i = 0; i < outcome.tried.size(); ++i)
        if (i != *outcome.best && outcome.tried[i].seconds) others.push_back(i);
    std::stable_sort(others.begin(), others.end(), [&](std::size_t a, std::size_t b) {
        return *outcome.tried[a].seconds < *outcome.tried[b].seconds;
    });
    for (const std::size_t i : others)
        if (lab::cannot_tell(record_of(best), record_of(outcome.tried[i]))) out.close.push_back(i);
    if (others.empty()) return out;
    out.next = others.front();
    if (const auto pair = lab::apart(record_of(best), record_of(outcome.tried[*out.next])))
        out.pair = *pair, out.known = true;
    return out;
}

std::vector<Entry> best_entries(const Tuning& tuning, const std::string& ladder, const Options& options) {
    std::vector<Entry> out;
    for (const Outcome& o : tuning.outcomes) {
        if (!o.best) continue;
        Entry e;
        e.ladder = ladder, e.rung = o.rung, e.size = o.size, e.problem = o.problem;
        e.axes = o.tried[*o.best].axes;
        set_device(e, tuning.set.environment);
        e.seconds = *o.tried[*o.best].seconds;
        e.measured = tuning.measured;
        e.search = method_name(options.method);
        e.tried = o.tried.size(), e.combinations = o.combinations;
        e.date = tuning.set.environment.date, e.version = tuning.set.environment.version;
        out.push_back(std::move(e));
    }
    return out;
}

}  // namespace warpwright::tune
