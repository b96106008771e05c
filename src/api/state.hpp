// The implementation of the public handles: shared by the files of this room only.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "api/finished.hpp"
#include "arch/model.hpp"
#include "compile/kernel/nvrtc.hpp"
#include "device/device.hpp"
#include "predict/prediction.hpp"
#include "warpwright/warpwright.hpp"

namespace warpwright {

struct Program::State {
    std::shared_ptr<device::Module> module;
    device::Device* device = nullptr;  ///< the device on which it was loaded
    std::vector<std::string> names;
    std::vector<std::pair<std::string, std::string>> sources;  ///< of programs that were compiled from a text
};

struct Device::State {
    std::unique_ptr<device::Device> device;
    std::string cache_directory;
    int compute_capability = 0;  ///< of a real device; 0 = the emulated one
    std::shared_ptr<const compile::Nvrtc> nvrtc;
    std::string model;                        ///< of the emulated device; empty: none was named
    std::uint32_t checkers = 0;               ///< record::Checker
    std::unique_ptr<api::Finished> finished;  ///< made at the first gemm, reduce or transpose

    /// CUDA C++ or OpenCL C to PTX for this device.
    Result<std::string> to_ptx(const std::string& path, const std::vector<std::string>& defines,
                               const std::vector<std::filesystem::path>& include_folders,
                               std::optional<std::string> text = std::nullopt) const;
    /// The model that was named, else the default one.
    Result<arch::DeviceModel> load_model() const;
};

namespace api {

launch::LaunchConfig config_of(Extent grid, Extent block, const LaunchOptions& options);

/// Device::launch(); with a predictor the launch's time is predicted too, into `predicted`.
struct Predicting {
    predict::Predictor* predictor = nullptr;
    std::optional<Result<record::Predicted>> predicted = {};
};
Result<Launch> launch(Device::State& state, const Program::State* program, const std::string& kernel, Extent grid,
                      Extent block, const std::vector<Argument>& arguments, const LaunchOptions& options,
                      Predicting* predicting = nullptr);

}  // namespace api

}  // namespace warpwright
