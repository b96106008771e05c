// How long a kernel takes on a modelled device, from its counts, its launch and the device model. Every command asks
// here (`run`, the laboratory's streams, grids that kernels launch). Today the answer is its bound; a better model of
// times belongs here.
#pragma once

#include "predict/bound.hpp"
#include "timeline/work.hpp"

namespace warpwright::predict {

/// The kernel as work for the modelled clock (timeline/work.hpp): `seconds` alone on the device, and the `share` of the
/// multiprocessors that it fills. The bound uses all resources of a multiprocessor that has a block, so only
/// multiprocessors without one are free for another kernel. The clock adds the least time of any launch
/// (timeline::Model::kernel).
timeline::Work kernel_time(const Work& work, const arch::DeviceModel& model);

}  // namespace warpwright::predict
