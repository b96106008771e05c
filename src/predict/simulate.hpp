// The simulation of one launch. Private to this room: prediction.hpp and warp_timeline.hpp are the ways in.
#pragma once

#include "arch/model.hpp"
#include "predict/bound.hpp"
#include "timing/prediction.hpp"

namespace warpwright::predict {

/// An error (kind limit) says in a line why the launch has no predicted time. `log`: to keep what warps did; may be
/// null. `enough`: as of timing::predict().
Result<timing::Prediction> simulate(const Work& work, const arch::DeviceModel& model, timing::WarpLog* log,
                                    double enough = std::numeric_limits<double>::infinity());

}  // namespace warpwright::predict
