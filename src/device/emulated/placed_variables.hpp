// Modules whose variables live in the program's own memory: managed variables, which host code reads and writes by
// their names.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "device/device.hpp"

namespace warpwright::device {

class PlacedVariables {
public:
    static constexpr std::string_view kPart = "variables in memory of the host";
    virtual ~PlacedVariables() = default;
    /// Device::load with variables at given addresses, which the device adopts.
    virtual Result<std::shared_ptr<Module>> load_placed(std::string name, std::string ptx,
                                                        const std::map<std::string, Address>& places) = 0;
};

}  // namespace warpwright::device
