// Whether a launch is possible on a device: the one place that refuses it, whoever asks for it.
#pragma once

#include <cstdint>

#include "launch/config.hpp"
#include "launch/kernel_info.hpp"
#include "launch/limits.hpp"
#include "support/result.hpp"

namespace warpwright::launch {

/// The launch's cluster in blocks, 1 x 1 x 1 if it has none; or why the launch is refused, before a device is touched.
/// ErrorKind::usage: an empty dimension, a cluster that does not divide the grid, too few bytes of parameters.
/// ErrorKind::limit: more than the kernel or the device allows; Error::cause says which of the runtime's errors that is
/// where it has one. `parameters` are the bytes of the block that
/// is given, `where` the program that the kernel is of.
///
/// Registers are compared with the register file only where they are known, not estimated. With Limits::model the
/// blocks of a cooperative grid must all be resident at once.
Result<Extent> check(const KernelInfo& kernel, const LaunchConfig& config, const Limits& limits,
                     std::uint64_t parameters, const Location& where);

}  // namespace warpwright::launch
