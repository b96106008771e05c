// What the warps of a launch do on a device model, cycle by cycle: the simulation behind a predicted time, kept.
#pragma once

#include "arch/model.hpp"
#include "predict/bound.hpp"
#include "record/warp_timeline.hpp"
#include "support/result.hpp"

namespace warpwright::predict {

/// Simulates the launch's trace (Work::trace) once more and keeps the states of its warps up to the cycle `most`. An
/// error as of simulated(): the launch is not possible on the model, or cannot be simulated.
Result<record::WarpTimeline> warp_timeline(const std::string& kernel, const Work& work, const arch::DeviceModel& model,
                                           double most);

}  // namespace warpwright::predict
