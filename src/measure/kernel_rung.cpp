#include "measure/kernel_rung.hpp"

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

}  // namespace warpwright::measure
