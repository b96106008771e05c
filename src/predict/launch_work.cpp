// What is known before a launch comes from the kernel and its configuration, and the second function adds what the
// result tells.
#include "predict/launch_work.hpp"

#include <algorithm>

#include "machine/footprint.hpp"

namespace warpwright::predict {

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
    double read = 0, written = 0;
    for (const auto& f : machine::footprints(trace, share, 1)) read += f.read, written += f.written;
    const auto least = [](std::uint64_t bytes, double sectors) {
        return std::min(bytes, static_cast<std::uint64_t>(32 * sectors));
    };
    work.touched->read = least(work.touched->read, read);
    work.touched->written = least(work.touched->written, written);
}

}  // namespace warpwright::predict
