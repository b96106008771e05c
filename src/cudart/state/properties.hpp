// The properties that the emulated device reports, from the device model.
#pragma once

#include "driver_types.h"

namespace warpwright::cudart {

void fill_properties(cudaDeviceProp& to, int device);
/// False for an unknown attribute.
bool attribute_of(cudaDeviceAttr attribute, int device, int& value);

}  // namespace warpwright::cudart
