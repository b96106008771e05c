// What a device model allows of a launch.
#pragma once

#include "arch/model.hpp"
#include "device/device.hpp"

namespace warpwright::device {

/// A figure that the model does not give stays the default.
Limits limits_of(const arch::DeviceModel& model);

}  // namespace warpwright::device
