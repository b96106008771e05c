// warpwright run --device cuda: the same program, unchanged, on a real GPU, with CUPTI told to watch it.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "arch/model.hpp"
#include "cli/options/options.hpp"
#include "support/result.hpp"

namespace warpwright::cli {

/// What such a run needs, found before the program starts.
struct GpuRun {
    std::map<std::string, std::string> environment;  ///< of the program
    std::optional<arch::DeviceModel> model;          ///< that fits the device, or that was named
    std::string with;                                ///< "CUPTI 13.0"
};

/// ErrorKind::no_device, naming what is missing, where there is no driver, GPU, CUPTI or injection library;
/// ErrorKind::usage for options of the emulated device.
Result<GpuRun> prepare_gpu_run(const ProgramOptions& options, const std::string& profile);

/// Compiles a program with NVIDIA's compiler; ErrorKind::no_device where there is none.
Result<void> build_with_nvcc(const ProgramOptions& options, const std::string& source, const std::string& program);

}  // namespace warpwright::cli
