// OpenCL devices as Devices: a GPU through its vendor's OpenCL, or the CPU through PoCL. The loader is looked for when
// the program runs. Kernels come as OpenCL C source and are compiled by the platform; docs/opencl.md.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "device/device.hpp"

namespace warpwright::device {

/// What the platform reports about one device. Zero where it reports nothing.
struct OpenclDeviceInfo {
    int ordinal = 0;  ///< over all platforms, in the loader's order
    std::string name, vendor;
    std::string platform;  ///< "Portable Computing Language"
    std::string version;   ///< "OpenCL 3.0 ..."
    std::string driver;
    std::string loader;  ///< the loader's file
    std::string kind;    ///< "CPU", "GPU", "accelerator"
    Limits limits;
    std::uint64_t memory = 0, largest_allocation = 0, cache = 0, local = 0;  ///< bytes
    double clock = 0;                                                        ///< Hz
    bool doubles = false;

    std::string device() const { return "opencl:" + std::to_string(ordinal); }
};

/// The machine's devices. When there is none, ErrorKind::no_device says what is missing and what to do.
Result<std::vector<OpenclDeviceInfo>> list_opencl();

/// One of them. Device::load takes OpenCL C source, its #include "..." served from the folder of the name. For use by
/// one thread at a time.
Result<std::unique_ptr<Device>> make_opencl(int ordinal);

}  // namespace warpwright::device
