// A launch as predict::Work: the one place that fills in what a bound, an occupancy or a prediction needs of it.
#pragma once

#include "launch/config.hpp"
#include "launch/kernel_info.hpp"
#include "launch/result.hpp"
#include "predict/bound.hpp"

namespace warpwright::predict {

/// What is known before it runs.
Work launch_work(const launch::KernelInfo& kernel, const launch::LaunchConfig& config);

/// And what it did. `result` must have counts.
Work launch_work(const launch::KernelInfo& kernel, const launch::LaunchConfig& config,
                 const launch::LaunchResult& result);

/// Where the launch kept its trace: takes the allocations that it touched for no more than what its blocks touch of
/// them, by the sample. Without a trace they count whole.
void narrow_touched(Work& work);

}  // namespace warpwright::predict
