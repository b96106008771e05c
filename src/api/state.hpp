// What stands behind the public handles: shared by the files of this room, seen by nobody else.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "api/finished.hpp"
#include "compile/nvrtc.hpp"
#include "device/device.hpp"
#include "warpwright/warpwright.hpp"

namespace warpwright {

struct Program::State {
    std::shared_ptr<device::Module> module;
    device::Device* device = nullptr;  ///< where it was loaded
    std::vector<std::string> names;
};

struct Device::State {
    std::unique_ptr<device::Device> device;
    std::string cache_directory;
    int compute_capability = 0;  ///< of a real device; 0 = the emulated one
    std::shared_ptr<const compile::Nvrtc> nvrtc;
    std::unique_ptr<api::Finished> finished;  ///< made at the first gemm, reduce or transpose

    /// CUDA C++ or OpenCL C to PTX for this device.
    Result<std::string> to_ptx(const std::string& path, const std::vector<std::string>& defines,
                               const std::vector<std::filesystem::path>& include_folders) const;
};

namespace api {

/// share/warpwright of the prefix this library is installed in, wherever that was moved to; empty when it is not installed.
std::string installed_share();

}  // namespace api

}  // namespace warpwright
