// Limits on a launch that hold for every device: a message refuses it here, before the device is touched.
#pragma once

#include <span>

#include "device/device.hpp"

namespace warpwright::device {

/// ErrorKind::limit, or ErrorKind::usage for an empty dimension or too few bytes of parameters.
Result<void> check_launch(const KernelInfo& kernel, const LaunchConfig& config, const Limits& limits,
                          std::span<const std::byte> parameters, const Location& where);

/// The launch's cluster in blocks, 1 x 1 x 1 if it has none; ErrorKind::usage or ErrorKind::limit if it is not what the
/// kernel requires, has more than 16 blocks, or does not divide the grid.
Result<Dim3> check_cluster(const KernelInfo& kernel, const LaunchConfig& config, const Location& where);

}  // namespace warpwright::device
