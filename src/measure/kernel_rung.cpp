#include "measure/kernel_rung.hpp"

#include <algorithm>

namespace warpwright::measure {

namespace {

/// Further sets of buffers, as many as the plan wants; where memory ends before them, those there are, with a flush.
Result<Rotation> add_sets(ladder::Session& session, const ladder::Rung& rung, const ladder::Variant& variant,
                          const ladder::Problem& problem, ladder::Replay& replay) {
    Rotation plan = plan_rotation(problem.footprint(), problem.memory(), session.device().facts().cache);
    for (std::uint32_t made = 1; made < plan.sets; ++made) {
        auto ok = session.add_set(rung, variant, problem, replay);
        if (ok) continue;
        if (ok.error().kind != ErrorKind::limit) return std::move(ok).error();
        return Rotation{made, true};
    }
    return plan;
}

}  // namespace

ladder::RungRun run_kernel_rung(ladder::Session& session, const ladder::Rung& rung, const ladder::Variant& variant,
                                ladder::Problem& problem, const TimingOptions& options) {
    ladder::Replay replay;
    ladder::RungRun run = session.run_rung(rung, variant, problem, &replay);
    if (run.problem || replay.steps.empty()) return run;
    if (run.record.verified == false) {
        run.record.notes.push_back("not timed: the result is wrong");
        return run;
    }
    const auto time = [&]() -> Result<void> {
        Rotation rotation;
        if (options.cold) {
            auto added = add_sets(session, rung, variant, problem, replay);
            if (!added) return std::move(added).error();
            rotation = *added;
        }
        const auto work = [&](const device::TimeRequest& request) { return session.device().time(replay.steps, request); };
        return time_into(run.record, session.device(), work, rotation, options);
    };
    if (auto ok = time(); !ok) {
        run.record.error = ok.error().text();
        run.problem = ok.error();
    }
    return run;
}

void compare(std::vector<record::Record>& records, const std::vector<std::string>& axes) {
    const auto same_problem = [&](const record::Record& a, const record::Record& b) {
        if (a.experiment != b.experiment) return false;
        const auto text = [](const record::Record& r, const std::string& name) {
            for (const record::Axis& axis : r.axes)
                if (axis.name == name) return axis.text();
            return std::string();
        };
        return std::all_of(axes.begin(), axes.end(), [&](const std::string& n) { return text(a, n) == text(b, n); });
    };
    for (record::Record& r : records) {
        if (!r.time || !(r.time->median_s > 0)) continue;
        const record::Record *first = nullptr, *cpu = nullptr;
        for (const record::Record& other : records) {
            if (!other.time || !(other.time->median_s > 0) || !same_problem(r, other)) continue;
            if (other.device == "cpu") {
                if (!cpu || other.time->median_s < cpu->time->median_s) cpu = &other;
            } else if (!first) {
                first = &other;
            }
        }
        record::Speedup out;
        if (first && r.device != "cpu") out.first = first->time->median_s / r.time->median_s;
        if (cpu) out.cpu = cpu->time->median_s / r.time->median_s;
        // A CPU rung alone would only be compared with itself.
        if (first && (out.first || out.cpu)) r.speedup = out;
    }
}

}  // namespace warpwright::measure
