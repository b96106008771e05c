// What a launch may not ask for, whatever device it goes to: refused here in words, before the device is touched.
#pragma once

#include <span>

#include "device/device.hpp"

namespace warpwright::device {

/// ErrorKind::limit, or ErrorKind::usage for an empty dimension or too few bytes of parameters.
Result<void> check_launch(const KernelInfo& kernel, const LaunchConfig& config, const Limits& limits,
                          std::span<const std::byte> parameters, const Location& where);

}  // namespace warpwright::device
