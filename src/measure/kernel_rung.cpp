#include "measure/kernel_rung.hpp"

#include "measure/take_time.hpp"

namespace warpwright::measure {

ladder::RungRun run_kernel_rung(ladder::Session& session, const ladder::Rung& rung, const ladder::Variant& variant,
                                ladder::Problem& problem, const device::LaunchOptions& launch,
                                const DeviceSampleOptions& options) {
    ladder::Replay replay;
    ladder::RungRun run = session.run_rung(rung, variant, problem, &replay);
    if (run.problem || replay.steps.empty()) return run;
    if (run.record.verified == false) {
        run.record.notes.push_back("not timed: the result is wrong");
        return run;
    }
    const auto work = [&](std::uint32_t repeat, std::uint32_t samples) {
        return session.device().time(replay.steps, {repeat, samples, launch.timeout});
    };
    if (auto ok = take_time(run.record, work, options); !ok) {
        run.record.error = ok.error().text();
        run.problem = ok.error();
    }
    return run;
}

}  // namespace warpwright::measure
