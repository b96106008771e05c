// What is known before a launch comes from the kernel and its configuration, and the second function adds what the
// result tells.
#include "predict/launch_work.hpp"

#include <algorithm>
#include <deque>
#include <mutex>

#include "machine/footprint.hpp"

namespace warpwright::predict {

namespace {

/// Sectors that a whole launch reads and writes, by its trace.
struct Used {
    double read = 0, written = 0;
};

Used used_by(const machine::LaunchTrace& trace, double share) {
    Used used;
    for (const auto& f : machine::footprints(trace, share, 1)) used.read += f.read, used.written += f.written;
    return used;
}

/// The same for launches that share their trace, counted once.
Used used_by(const std::shared_ptr<const machine::LaunchTrace>& trace, double share) {
    constexpr std::size_t kMost = 8;
    struct Known {
        std::weak_ptr<const machine::LaunchTrace> trace;
        double share;
        Used used;
    };
    static std::mutex mutex;
    static std::deque<Known> known;
    {
        const std::lock_guard lock(mutex);
        for (const auto& k : known)
            if (k.share == share && k.trace.lock() == trace) return k.used;
    }
    const Used used = used_by(*trace, share);
    const std::lock_guard lock(mutex);
    if (known.size() >= kMost) known.pop_front();
    known.push_back({trace, share, used});
    return used;
}

}  // namespace

Work launch_work(const launch::KernelInfo& kernel, const launch::LaunchConfig& config) {
    Work work;
    work.grid = config.grid;
    work.block = config.block;
    work.registers = kernel.registers;
    work.registers_source = kernel.registers_source;
    work.local = kernel.local;
    work.shared = kernel.static_shared + config.dynamic_shared;
    return work;
}

Work launch_work(const launch::KernelInfo& kernel, const launch::LaunchConfig& config,
                 const launch::LaunchResult& result) {
    Work work = launch_work(kernel, config);
    work.counts = result.counts->total;
    work.per_line = !result.counts->lines.empty();
    work.touched = result.touched;
    work.trace = result.trace;
    narrow_touched(work);
    return work;
}

void narrow_touched(Work& work) {
    if (!work.touched || !work.trace || !work.trace->code || work.trace->sample.empty()) return;
    const auto& trace = *work.trace;
    const double blocks = std::max(1.0, static_cast<double>(work.grid.count())),
                 instructions = static_cast<double>(work.counts[record::Count::instructions]),
                 counted = machine::counted_in(trace);
    const double share = instructions > 0 && counted > 0 ? std::min(1.0, counted / instructions)
                                                         : static_cast<double>(trace.sample.size()) / blocks;
    work.allocations = work.touched;
    const auto [read, written] = used_by(work.trace, share);
    const auto least = [](std::uint64_t bytes, double sectors) {
        return std::min(bytes, static_cast<std::uint64_t>(32 * sectors));
    };
    work.touched->read = least(work.touched->read, read);
    work.touched->written = least(work.touched->written, written);
}

}  // namespace warpwright::predict
