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

}  // namespace warpwright::predict
