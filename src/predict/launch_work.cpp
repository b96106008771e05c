// What is known before a launch comes from the kernel and its configuration, and the second function adds what the
// result tells.
#include "predict/launch_work.hpp"

#include <algorithm>

#include "predict/trace_outline.hpp"

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
    if (!work.touched) return;
    const auto used = used_sectors(work);
    if (!used) return;
    work.allocations = work.touched;
    const auto least = [](std::uint64_t bytes, double sectors) {
        return std::min(bytes, static_cast<std::uint64_t>(32 * sectors));
    };
    work.touched->read = least(work.touched->read, used->read);
    work.touched->written = least(work.touched->written, used->written);
}

}  // namespace warpwright::predict
