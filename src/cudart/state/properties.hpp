// The properties that the emulated device reports, from the device model.
#pragma once

#include <string>

#include "driver_types.h"

namespace warpwright::cudart {

/// Of a device that the program sees; and by its number in the machine.
void fill_properties(cudaDeviceProp& to, int device);
void fill_properties_of(cudaDeviceProp& to, unsigned number);
/// What tells a device, by its number in the machine; and as nvidia-smi prints it.
cudaUUID_t uuid_of(unsigned number);
std::string text_of(const cudaUUID_t& uuid);
/// False for an unknown attribute.
bool attribute_of(cudaDeviceAttr attribute, int device, int& value);

}  // namespace warpwright::cudart
