// NVIDIA's driver on this machine, and explanations of its errors.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "device/cuda/api.hpp"
#include "support/result.hpp"

namespace warpwright::device::cuda {

/// Where libcuda is looked for, in order: $WARPWRIGHT_LIBCUDA alone when it is set, else the loader's own search, then
/// the folders that drivers are mounted at in containers and under WSL.
std::vector<std::string> driver_candidates();

struct Driver {
    DriverTable table;
    std::string file;  ///< the library; empty for a test's table
    int version = 0;   ///< the newest CUDA the driver supports, major * 1000 + minor * 10
};

/// Opens and initialises the driver. ErrorKind::no_device when it is missing, too old or has no device.
Result<Driver> load_driver(const std::vector<std::string>& candidates);

/// Initialises a driver whose table is already filled.
Result<Driver> start_driver(const DriverTable& table, std::string file);

/// "CUDA 13.0".
std::string version_text(int version);

/// The error of a call: `what` is the action that failed, `where` a module or source file. Its kind follows from the
/// status: a kernel's error is a fault, an excess is a limit, and so on.
Error error_of(const DriverTable& table, Status status, const std::string& what, Location where = {});

/// True for errors after which the context answers no further call and must be created anew.
bool is_sticky(Status status);

}  // namespace warpwright::device::cuda
