// A kernel as work for the modelled clock. Every command asks here (`run`, the laboratory's streams, grids that kernels
// launch).
#pragma once

#include <optional>

#include "predict/prediction.hpp"
#include "timeline/work.hpp"

namespace warpwright::predict {

/// `seconds` alone on the device: the predicted time, or the bound where there is none; and the `share` of the
/// multiprocessors that it fills. A kernel uses all resources of a multiprocessor that has a block, so only
/// multiprocessors without one are free for another kernel. The clock takes the least time of any launch
/// (timeline::Model::kernel) where that is more.
timeline::Work kernel_time(const Work& work, const arch::DeviceModel& model,
                           const Result<record::Predicted>& predicted);
timeline::Work kernel_time(const Work& work, const arch::DeviceModel& model, std::optional<double> predicted);

}  // namespace warpwright::predict
