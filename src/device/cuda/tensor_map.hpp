// Tensor maps in the driver's own encoding.
#pragma once

#include <array>

#include "device/cuda/context.hpp"

namespace warpwright::device::cuda {

/// The map is checked first, with the emulated device's messages, because the driver only says "invalid value".
Result<std::array<std::byte, 128>> encode_tensor_map(ContextHolder& context, const TensorMap& map);

}  // namespace warpwright::device::cuda
