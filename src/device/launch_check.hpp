// What a launch may not ask for, whatever device it goes to: refused here in words, before the device is touched.
#pragma once

#include <span>

#include "device/device.hpp"

namespace warpwright::device {

/// ErrorKind::limit, or ErrorKind::usage for an empty dimension or too few bytes of parameters.
Result<void> check_launch(const KernelInfo& kernel, const LaunchConfig& config, const Limits& limits,
                          std::span<const std::byte> parameters, const Location& where);

/// Blocks of a cluster that the launch has, 1 x 1 x 1 where it has none; ErrorKind::usage or ErrorKind::limit where
/// what it asks for is not what the kernel wants, is more than 16 blocks, or does not divide the grid.
Result<Dim3> check_cluster(const KernelInfo& kernel, const LaunchConfig& config, const Location& where);

}  // namespace warpwright::device
