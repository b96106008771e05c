// Prepares each rung, calibrates it, and visits all of them in rounds (rounds.hpp), with caches flushed or buffers
// rotated. A rung that fails is out, and the others go on; only a lost device ends all.
#include "measure/interleaved_timing.hpp"

#include <algorithm>
#include <cmath>

#include "measure/conditions.hpp"
#include "measure/host_sample.hpp"
#include "measure/library_rung.hpp"
#include "measure/rotation.hpp"
#include "measure/statistics.hpp"

namespace warpwright::measure {
namespace {

using device::TimedWork;
using Made = Result<std::unique_ptr<TimedWork>>;

bool loses_device(ErrorKind kind) { return kind == ErrorKind::fault || kind == ErrorKind::no_device; }

void fail(ladder::RungRun& run, const Error& error) {
    run.record.error = error.text();
    run.problem = error;
}

}  // namespace

struct Together::Entrant {
    std::size_t id = 0;
    ladder::RungRun run;
    std::optional<ladder::DeviceBuffers> scratch;  ///< its own buffers, with the first set's addresses
    std::vector<ladder::DeviceBuffers> prepared;   ///< one for each set if launches ahead of the clock write them
    std::function<Made(const device::TimeRequest&)> make;
    std::size_t sets = 1;
    bool flush = false;
    std::uint32_t repeat = 1;
    double sample = 0;                            ///< seconds, about
    std::unique_ptr<TimedWork> work;              ///< is destroyed before the memory it uses
    std::vector<std::pair<double, double>> when;  ///< the times of its samples
};

Together::Together(ladder::Session& session, vendor::Libraries* libraries, ladder::Problem& problem,
                   const TimingOptions& options)
    : session_(session), device_(session.device()), libraries_(libraries), problem_(problem), options_(options) {}

Together::~Together() = default;

/// Makes buffers that the rungs share, as many sets as the caches require, or as many as there is memory for.
Result<void> Together::make_sets() {
    if (!sets_.empty()) {
        if (!std::exchange(used_, true)) return {};
        return sets_.front().refill(problem_);
    }
    Rotation plan;
    if (options_.cold) plan = plan_rotation(problem_.footprint(), problem_.memory(), device_.facts().cache);
    flush_ = plan.flush;
    for (std::uint32_t made = 0; made < plan.sets; ++made) {
        auto set = ladder::DeviceBuffers::shared(device_, problem_);
        if (!set && (made == 0 || set.error().kind != ErrorKind::limit)) return std::move(set).error();
        if (!set) {
            flush_ = true;
            // One set is released, because rungs have their own memory as well.
            if (sets_.size() > 1) sets_.pop_back();
            break;
        }
        sets_.push_back(std::move(*set));
    }
    used_ = true;
    return {};
}

/// A rung's own scratch memory. Where the device is full, fewer sets of buffers are kept.
Result<ladder::DeviceBuffers> Together::scratch(const std::map<std::string, device::Address>& given,
                                                const std::set<std::string>& used, bool& no_room) {
    for (;;) {
        auto made = ladder::DeviceBuffers::around(device_, problem_, given, &used);
        if (made) return made;
        const bool full = made.error().kind == ErrorKind::limit;
        no_room = full && !entrants_.empty();
        if (!full || no_room || sets_.size() == 1) return std::move(made).error();
        flush_ = true;  // fewer sets, then
        for (std::size_t n = (sets_.size() + 1) / 2; n > 0 && sets_.size() > 1; --n) sets_.pop_back();
    }
}

/// Runs the launches that are not in the rung's time, before the others are timed.
Result<void> Together::launch_ahead(const ladder::Rung& rung, const ladder::Variant& variant,
                                    const ladder::DeviceBuffers& buffers) {
    auto first = session_.steps(rung, variant, problem_, buffers, ladder::Session::Launches::ahead);
    if (!first) return std::move(first).error();
    for (const device::Step& step : *first)
        if (auto ran = device_.launch(*step.module, step.kernel, step.config, step.parameters, {}); !ran)
            return std::move(ran).error();
    return {};
}

/// Null if there is nothing to time.
Result<std::unique_ptr<Together::Entrant>> Together::kernel(const ladder::Rung& rung, const ladder::Variant& variant,
                                                            ladder::RungRun& run, bool& no_room) {
    const auto& buffers = problem_.ladder().buffers;
    const std::set<std::string> used = ladder::scratch_of(problem_.ladder(), rung);
    std::map<std::string, device::Address> given;
    const auto share = [&](const ladder::DeviceBuffers& set) {
        for (std::size_t i = 0; i < buffers.size(); ++i)
            if (buffers[i].role != ladder::Role::scratch) given[buffers[i].name] = set[i];
    };
    share(sets_.front());
    auto own = scratch(given, used, no_room);
    if (!own) return std::move(own).error();
    run = session_.run_rung(rung, variant, problem_, &*own);
    if (run.problem || run.record.left_out) return std::unique_ptr<Entrant>();
    if (run.record.verified == false) {
        run.record.notes.push_back("not timed: the result is wrong");
        return std::unique_ptr<Entrant>();
    }
    // All sets share the scratch memory, because a run writes it before it reads it; but if a launch ahead of the clock
    // has written it, each set has its own.
    const bool ahead = std::any_of(rung.launches.begin(), rung.launches.end(),
                                   [](const ladder::Launch& launch) { return launch.ahead; });
    std::vector<ladder::DeviceBuffers> prepared;
    for (const std::string& name : used)
        for (std::size_t i = 0; i < buffers.size(); ++i)
            if (buffers[i].name == name) given[name] = (*own)[i];
    std::vector<device::Step> steps;
    for (const ladder::DeviceBuffers& set : sets_) {
        share(set);
        if (ahead && &set != &sets_.front())
            for (const std::string& name : used) given.erase(name);
        auto view = ladder::DeviceBuffers::around(device_, problem_, given, &used);
        if (!view) {
            no_room = view.error().kind == ErrorKind::limit && !entrants_.empty();
            return std::move(view).error();
        }
        if (ahead)
            if (auto ran = launch_ahead(rung, variant, *view); !ran) return std::move(ran).error();
        auto more = session_.steps(rung, variant, problem_, *view, ladder::Session::Launches::timed);
        if (!more) return std::move(more).error();
        for (device::Step& step : *more) steps.push_back(std::move(step));
        prepared.push_back(std::move(*view));
    }
    if (ahead) run.record.notes.push_back("launches ahead of the clock are not in its time");
    if (steps.empty()) return std::unique_ptr<Entrant>();
    auto e = std::make_unique<Entrant>();
    e->scratch.emplace(std::move(*own));
    if (ahead) e->prepared = std::move(prepared);
    e->sets = sets_.size();
    e->flush = flush_;
    e->make = [this, steps = std::move(steps)](const device::TimeRequest& request) -> Made {
        auto timer = device_.need(&device::Device::timer);
        if (!timer) return std::move(timer).error();
        return (*timer)->make_timed(steps, request);
    };
    return e;
}

Together::Added Together::add(const ladder::Rung& rung, const ladder::Variant& variant, std::size_t id) {
    Added out;
    ladder::RungRun run;
    std::unique_ptr<Entrant> entrant;
    const auto failed = [&](const Error& error) {
        if (run.record.rung.empty()) {
            run.record.experiment = problem_.ladder().name;
            run.record.rung = rung.name;
            if (auto record = ladder::describe(problem_.ladder(), rung, variant, problem_.size()))
                run.record = std::move(*record);
            run.record.device = device_.name();
        }
        fail(run, error);
    };
    if (auto ok = make_sets(); !ok) {
        failed(ok.error());
    } else if (!rung.library.empty() && libraries_) {
        if (auto work =
                verify_library_rung(device_, *libraries_, rung, variant, problem_, sets_, options_.timeout, run)) {
            entrant = std::make_unique<Entrant>();
            entrant->sets = work->sets;
            entrant->flush = flush_ || work->sets < sets_.size();
            entrant->make = [this, all = work->work](const device::TimeRequest& request) -> Made {
                auto queue = device_.need(&device::Device::vendor_queue);
                if (!queue) return std::move(queue).error();
                return (*queue)->make_timed_work(all, request);
            };
        }
    } else {
        auto made = kernel(rung, variant, run, out.no_room);
        if (out.no_room) return out;
        if (made)
            entrant = std::move(*made);
        else
            failed(made.error());
    }
    if (!entrant || run.problem) {
        out.run = std::move(run);
        return out;
    }
    entrant->id = id;
    entrant->run = std::move(run);
    entrants_.push_back(std::move(entrant));
    return out;
}

/// False if it failed, which its record then says.
bool Together::visit(Entrant& e, std::uint32_t samples, bool ahead, std::vector<double>* seconds) {
    const double begin = steady_seconds();
    auto taken = e.work->time(samples, ahead);
    if (taken && taken->empty()) taken = Error{ErrorKind::internal, "the device gave no samples", {}, ""};
    if (!taken) {
        lost_ = lost_ || loses_device(taken.error().kind);
        fail(e.run, taken.error());
        return false;
    }
    if (seconds) e.when.emplace_back(begin, steady_seconds());
    e.sample = *std::min_element(taken->begin(), taken->end());
    if (seconds) *seconds = std::move(*taken);
    return true;
}

/// Determines how often the work runs within a sample.
bool Together::calibrate(Entrant& e) {
    const auto make = [&] {
        auto work = e.make({e.repeat, 1, options_.timeout, false, e.flush});
        if (work) return e.work = std::move(*work), true;
        lost_ = lost_ || loses_device(work.error().kind);
        fail(e.run, work.error());
        return false;
    };
    // The first run may load code or tables, so its time is ignored.
    if (!make() || !visit(e, 1, false, nullptr)) return false;
    if (e.sample < options_.rounds.max_seconds && !visit(e, 1, false, nullptr)) return false;
    // After a flush only the first run on each set finds the caches cold.
    for (int i = 0; i < 2 && !e.flush; ++i) {
        const double wanted = std::ceil(options_.shortest / std::max(e.sample / e.repeat, 1e-9) - 1e-6);
        const auto repeat =
            static_cast<std::uint32_t>(std::clamp(wanted, 1.0, static_cast<double>(options_.max_repeat)));
        if (std::abs(wanted - e.repeat) <= 0.1 * e.repeat || repeat == e.repeat) break;
        e.repeat = repeat;
        if (!make() || !visit(e, 1, false, nullptr)) return false;
    }
    return true;
}

void Together::write_down(Entrant& e, std::span<const double> samples,
                          const std::vector<std::pair<double, device::DeviceState>>& seen) {
    std::vector<double> seconds(samples.begin(), samples.end());
    for (double& s : seconds) s /= static_cast<double>(e.repeat) * static_cast<double>(e.sets);
    const Statistics s = summarise(seconds);
    record::Record& record = e.run.record;
    record.time = to_time(s);
    const device::DeviceFacts facts = device_.facts();
    record.time->cache = options_.cold && facts.cache != 0 ? "cold" : "warm";
    if (options_.cold && facts.cache == 0)
        record.notes.push_back("caches were warm: " + device_.name() + " does not report the size of its cache");
    // The states seen while it ran; those of the whole rounds if it ran too briefly.
    std::vector<device::DeviceState> own, all;
    for (const auto& [at, state] : seen) {
        all.push_back(state);
        for (const auto& [begin, end] : e.when)
            if (begin <= at && at <= end) own.push_back(state);
    }
    add_conditions(*record.time, own.empty() ? all : own);
    if (const std::string note = conditions_note(*record.time, facts.clock_mhz); !note.empty())
        record.notes.push_back(note);
    if (s.spread > 0.05)
        record.notes.push_back("unsteady: the middle half of the samples spans " +
                               std::to_string(static_cast<int>(200 * s.spread)) + " % of the median");
}

std::vector<Together::Timed> Together::time(const std::function<bool(double)>& go_on) {
    bool goes = !go_on || go_on(0);
    const auto on = [&] { return goes && !lost_; };
    std::vector<double> sample_seconds;
    for (auto& e : entrants_) {
        if (on()) (void)calibrate(*e);
        sample_seconds.push_back(e->sample);
    }
    double warm = 0, step = 1;
    while (on() && warm < options_.warm_seconds && step > 0) {
        step = 0;
        for (auto& e : entrants_) {
            if (!on() || e->run.problem || e->sample >= 0.1) continue;  // a long run warms up by itself
            if (visit(*e, 1, false, nullptr)) step += std::max(e->sample, 1e-6);
        }
        warm += step;
        goes = goes && (!go_on || go_on(0));
    }
    Rounds rounds(std::move(sample_seconds), options_.rounds);
    for (std::size_t i = 0; i < entrants_.size(); ++i)
        if (entrants_[i]->run.problem) rounds.drop(i);
    Watch watch(device_);
    if (on()) watch.start();
    while (on()) {
        const auto round = rounds.next();
        if (round.empty()) break;
        for (const Rounds::Visit& v : round) {
            std::vector<double> seconds;
            if (!on()) break;
            if (visit(*entrants_[v.entrant], v.samples, v.ahead, &seconds))
                rounds.add(v.entrant, seconds);
            else
                rounds.drop(v.entrant);
            goes = goes && (!go_on || go_on(rounds.progress()));
        }
    }
    std::vector<std::pair<double, device::DeviceState>> seen;
    for (Watch::Seen& s : watch.stop_seen()) seen.emplace_back(s.at, std::move(s.state));
    std::vector<Timed> out;
    for (std::size_t i = 0; i < entrants_.size(); ++i) {
        Entrant& e = *entrants_[i];
        out.push_back({e.id, std::nullopt});
        if (!e.run.problem && !rounds.usable(i)) continue;
        if (!e.run.problem) write_down(e, rounds.samples(i), seen);
        out.back().run = std::move(e.run);
    }
    entrants_.clear();
    return out;
}

ladder::RungRun run_alone(ladder::Session& session, vendor::Libraries* libraries, const ladder::Rung& rung,
                          const ladder::Variant& variant, ladder::Problem& problem, const TimingOptions& options) {
    Together all(session, libraries, problem, options);
    auto added = all.add(rung, variant, 0);
    if (added.run) return std::move(*added.run);
    return std::move(*all.time().front().run);
}

}  // namespace warpwright::measure
