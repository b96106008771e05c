// OpenCL's loader on this machine, its devices, and explanations of its errors.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "device/opencl/api.hpp"
#include "support/result.hpp"

namespace warpwright::device::opencl {

/// Where the loader is looked for, in order: $WARPWRIGHT_OPENCL alone when it is set, else what the system's loader
/// finds.
std::vector<std::string> loader_candidates();

struct Driver {
    OpenclFunctions table;
    std::string file;
};

/// Opens the loader. ErrorKind::no_device when there is none, or it lacks an entry point (older than OpenCL 1.2).
Result<std::shared_ptr<const Driver>> load_driver(const std::vector<std::string>& candidates);

/// A device with its platform.
struct PlatformDevice {
    Platform platform = nullptr;
    DeviceId device = nullptr;
    std::string platform_name, platform_version;
};

/// Devices of all platforms, in the loader's order. ErrorKind::no_device when there are none.
Result<std::vector<PlatformDevice>> find_devices(const Driver& driver);

/// The result of a query: a text, or a number of this type; empty or zero if it fails.
template <class Function, class... Handles>
std::string text_of(Function function, Count what, Handles... handles) {
    std::size_t size = 0;
    if (function(handles..., what, 0, nullptr, &size) != status::success || size == 0) return "";
    std::string out(size, '\0');
    if (function(handles..., what, size, out.data(), nullptr) != status::success) return "";
    while (!out.empty() && (out.back() == '\0' || out.back() == '\n' || out.back() == ' ')) out.pop_back();
    return out;
}
template <class T, class Function, class... Handles>
T value_of(Function function, Count what, Handles... handles) {
    T out{};
    if (function(handles..., what, sizeof(out), &out, nullptr) != status::success) return T{};
    return out;
}

/// The error of a call: `what` is the action that failed.
Error error_of(Status status, const std::string& what, Location where = {});

}  // namespace warpwright::device::opencl
