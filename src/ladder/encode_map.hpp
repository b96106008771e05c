// The tensor map that a ladder file describes, encoded by a device.
#pragma once

#include <array>
#include <cstddef>

#include "ladder/problem.hpp"

namespace warpwright::ladder {

/// The 128 bytes that a kernel takes. `variables` are those of the launch.
Result<std::array<std::byte, 128>> encode_map(device::Device& device, const TensorMapArgument& from,
                                              const Problem& problem, const Variant& variant,
                                              const Variables& variables, const DeviceBuffers& buffers);

}  // namespace warpwright::ladder
