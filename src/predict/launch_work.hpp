// A launch as predict::Work: the one place that fills in what a bound, an occupancy or a prediction needs of it. The
// types are those of the room device (KernelInfo, LaunchConfig, LaunchResult), which this room does not know, for rooms
// above that know no device use it too.
#pragma once

#include "predict/bound.hpp"

namespace warpwright::predict {

/// What is known before it runs.
template <class KernelInfo, class LaunchConfig>
Work launch_work(const KernelInfo& kernel, const LaunchConfig& config) {
    Work work;
    work.grid = {config.grid.x, config.grid.y, config.grid.z};
    work.block = {config.block.x, config.block.y, config.block.z};
    work.registers = kernel.registers;
    work.registers_source = kernel.registers_source;
    work.shared = kernel.static_shared + config.dynamic_shared;
    return work;
}

/// And what it did. `result` must have counts.
template <class KernelInfo, class LaunchConfig, class LaunchResult>
Work launch_work(const KernelInfo& kernel, const LaunchConfig& config, const LaunchResult& result) {
    Work work = launch_work(kernel, config);
    work.counts = result.counts->total;
    work.per_line = !result.counts->lines.empty();
    work.touched = result.touched;
    work.trace = result.trace;
    return work;
}

}  // namespace warpwright::predict
