// Textures as objects of the device: made, bound to a reference's variable, destroyed. Work that is queued may use an
// object, so these wait for it.
#pragma once

#include "device/device.hpp"
#include "driver_types.h"

namespace warpwright::cudart {

/// Puts an object (0: none) into the device's variable of a texture or surface reference. Kernels queued before still
/// use the object that was bound then.
cudaError_t bind_object(device::Address variable, unsigned long long object);

cudaError_t make_object(const device::Texture& texture, unsigned long long* handle);
cudaError_t destroy_object(unsigned long long handle);

}  // namespace warpwright::cudart
