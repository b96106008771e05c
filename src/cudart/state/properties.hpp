// What the emulated device says of itself, from the device model.
#pragma once

#include "driver_types.h"

namespace warpwright::cudart {

void fill_properties(cudaDeviceProp& to, int device);
/// False for an attribute that is none.
bool attribute_of(cudaDeviceAttr attribute, int device, int& value);

}  // namespace warpwright::cudart
