// A device's figures and limits from the driver's attributes.
#pragma once

#include "device/cuda/cuda_device.hpp"
#include "device/cuda/driver.hpp"

namespace warpwright::device::cuda {

/// The number of devices; ErrorKind::no_device when it is 0.
Result<int> count_devices(const Driver& driver);

/// An attribute that this driver does not know counts as 0.
Result<CudaDeviceInfo> describe_device(const Driver& driver, int ordinal);

}  // namespace warpwright::device::cuda
