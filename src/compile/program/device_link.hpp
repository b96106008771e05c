// Separate compilation in steps of its own, as makefiles have it: objects that carry their file's part of the device
// code (-dc), one more object that carries all of it linked (-dlink), and archives (-lib). The program's linker finds
// the linked code by a name that each of the objects asks for (toolchain/include/warpwright/separate.h).
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "compile/kernel/command.hpp"
#include "compile/kernel/compile.hpp"

namespace warpwright::compile {

/// Device code of objects and of archives' members that is still to be linked, in their order.
struct DeviceParts {
    std::vector<std::string> modules;  ///< PTX
    bool any_device = true;            ///< all of them are for every device model
    bool linked = false;               ///< one of the objects carries linked code
    bool device_runtime = false;  ///< an archive is NVIDIA's device runtime, which the emulated device has built in
};
Result<DeviceParts> device_parts(const std::vector<std::string>& files);
/// Those of one object or archive in memory; none where it is neither.
Result<DeviceParts> device_parts(std::span<const std::byte> file);

/// Makes the object with the linked code. `folder` is for files on the way.
Result<void> link_device_objects(const DeviceParts& parts, const std::string& object, const std::string& folder,
                                 const Tools& tools, const CompileOptions& options);
/// Makes an archive, anew.
Result<void> make_archive(const std::vector<std::string>& objects, const std::string& archive);

}  // namespace warpwright::compile
