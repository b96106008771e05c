// A device model's limits for launches.
#pragma once

#include "arch/model.hpp"
#include "device/device.hpp"

namespace warpwright::device {

/// A figure that the model does not give keeps its default.
Limits limits_of(const arch::DeviceModel& model);

}  // namespace warpwright::device
