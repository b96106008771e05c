// Each figure comes from the trace, or from what was kept of one.
#include "predict/trace_outline.hpp"

#include <algorithm>
#include <deque>
#include <mutex>

#include "machine/footprint.hpp"
#include "predict/what_if.hpp"

namespace warpwright::predict {

namespace {

/// Launches that share their trace have it counted once.
UsedSectors used_by(const std::shared_ptr<const machine::LaunchTrace>& trace, double share) {
    constexpr std::size_t kMost = 8;
    struct Known {
        std::weak_ptr<const machine::LaunchTrace> trace;
        double share;
        UsedSectors used;
    };
    static std::mutex mutex;
    static std::deque<Known> known;
    {
        const std::lock_guard lock(mutex);
        for (const auto& k : known)
            if (k.share == share && k.trace.lock() == trace) return k.used;
    }
    UsedSectors used;
    for (const auto& f : machine::footprints(*trace, share, 1)) used.read += f.read, used.written += f.written;
    const std::lock_guard lock(mutex);
    if (known.size() >= kMost) known.pop_front();
    known.push_back({trace, share, used});
    return used;
}

}  // namespace

std::optional<UsedSectors> used_sectors(const Work& work) {
    if (!work.trace) return std::nullopt;
    const auto& trace = *work.trace;
    if (trace.outline) return UsedSectors{trace.outline->read, trace.outline->written};
    if (!trace.code || trace.sample.empty()) return std::nullopt;
    const double blocks = std::max(1.0, static_cast<double>(work.grid.count())),
                 instructions = static_cast<double>(work.counts[record::Count::instructions]),
                 counted = machine::counted_in(trace);
    const double share = instructions > 0 && counted > 0 ? std::min(1.0, counted / instructions)
                                                         : static_cast<double>(trace.sample.size()) / blocks;
    return used_by(work.trace, share);
}

SharedAtomics shared_atomics(const Work& work) {
    SharedAtomics out;
    if (!work.trace) return out;
    const auto& trace = *work.trace;
    if (trace.outline) return {trace.outline->atomics, trace.outline->turns};
    if (!trace.code) return out;
    each_access(trace, AccessSites(*trace.code), [&](const auto&, std::size_t, const auto& e, const auto& op) {
        if (is_shared(e, op) && op.effect == machine::Effect::atomic) ++out.atomics, out.turns += e.passes;
    });
    return out;
}

std::uint64_t sampled_blocks(const machine::LaunchTrace& trace) {
    return trace.outline ? trace.outline->sampled : trace.sample.size();
}

machine::TraceOutline outline_of(const Work& work) {
    machine::TraceOutline out;
    if (!work.trace) return out;
    out.sampled = sampled_blocks(*work.trace);
    if (const auto used = used_sectors(work)) out.read = used->read, out.written = used->written;
    const auto shared = shared_atomics(work);
    out.atomics = shared.atomics, out.turns = shared.turns;
    return out;
}

}  // namespace warpwright::predict
