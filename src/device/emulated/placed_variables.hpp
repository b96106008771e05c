// Modules whose variables live in the program's own memory: managed variables, which host code reads and writes by
// their names.
#pragma once

#include <map>
#include <string>

#include "device/device.hpp"

namespace warpwright::device {

/// Device::load with variables at given addresses, which the device adopts. ErrorKind::usage on a device that is not
/// emulated.
Result<std::shared_ptr<Module>> load_placed(Device& device, std::string name, std::string ptx,
                                            const std::map<std::string, Address>& places);

}  // namespace warpwright::device
