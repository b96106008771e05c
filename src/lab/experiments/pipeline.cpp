// Each cycle a scheduler takes the ready warp that has waited longest, and the arithmetic units limit all schedulers
// together. The first cycles are left out of the share, until the pipeline has settled.
#include "lab/experiments/pipeline.hpp"

#include <algorithm>
#include <cmath>

namespace warpwright::lab {

Pipeline Pipeline::of(const arch::DeviceModel& m, unsigned independent) {
    Pipeline p;
    p.schedulers = std::max(1u, m.sm.schedulers);
    const double rate = m.sm.issue_per_scheduler;
    p.period = rate < 1 && rate > 0 ? static_cast<unsigned>(std::lround(1 / rate)) : 1;
    p.at_once = std::max(1u, static_cast<unsigned>(rate));
    p.latency = std::max(1u, static_cast<unsigned>(std::lround(m.latency.arithmetic)));
    p.independent = std::max(1u, independent);
    p.most = m.units.fp32 / m.limits.warp;
    return p;
}

Pipeline::Result Pipeline::run(unsigned warps, unsigned trace) const {
    const unsigned settle = 8 * latency + 64, measured = 64 * latency;
    struct Warp {
        std::vector<unsigned>
            ready;          ///< of each independent chain: the cycle from which its next instruction can start
        unsigned last = 0;  ///< cycle of its last issue, for the oldest goes first
    };
    std::vector<Warp> state(warps, Warp{std::vector<unsigned>(independent, 0), 0});
    Result out;
    double issued = 0, units = 0;
    for (unsigned cycle = 0; cycle < settle + measured; ++cycle) {
        units = std::min(units + most, std::max(most, 1.0) + most);  // what the arithmetic units can take by now
        for (unsigned turn = 0; turn < schedulers; ++turn) {
            const unsigned k = (turn + cycle) % schedulers;  // where units are scarce they go round
            if ((cycle + k) % period != 0 || units < 1) continue;
            Warp* chosen = nullptr;
            for (unsigned w = k; w < warps; w += schedulers) {
                const bool ready = *std::min_element(state[w].ready.begin(), state[w].ready.end()) <= cycle;
                if (ready && (!chosen || state[w].last < chosen->last)) chosen = &state[w];
            }
            if (!chosen) continue;
            unsigned n = 0;
            for (unsigned& chain : chosen->ready)
                if (chain <= cycle && n < at_once && units >= 1) {
                    chain = cycle + latency;
                    units -= 1;
                    ++n;
                }
            chosen->last = cycle + 1;
            if (cycle >= settle) issued += n;
            if (cycle < trace) out.trace.push_back({cycle, k, static_cast<unsigned>(chosen - state.data()), n});
        }
    }
    out.share = issued / (most * measured);
    return out;
}

unsigned Pipeline::warps_needed() const {
    const double each = double(std::min(at_once, independent)) / period;  // instructions a cycle of a scheduler
    const double a_warp = double(independent) / latency;                  // that one warp can start
    const auto whole = [](double warps) { return static_cast<unsigned>(std::ceil(warps - 1e-9)); };
    return schedulers * each <= most ? schedulers * whole(each / a_warp) : whole(most / a_warp);
}

}  // namespace warpwright::lab
