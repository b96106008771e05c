// What a kernel takes on a modelled device, from its counts, its launch and the device model: the one place that every
// command has it from (`run`, the laboratory's streams, grids that kernels launch). Today that is its bound; a better
// model of times goes here.
#pragma once

#include "predict/bound.hpp"
#include "timeline/work.hpp"

namespace warpwright::predict {

/// The kernel as the modelled clock takes it (timeline/work.hpp): `seconds` alone on the device, and the `share` of the
/// multiprocessors that it fills. The bound takes all that a multiprocessor with a block has to give, so only
/// multiprocessors without one are left for another kernel. What any launch takes at least is the clock's to add
/// (timeline::Model::kernel).
timeline::Work kernel_time(const Work& work, const arch::DeviceModel& model);

}  // namespace warpwright::predict
