// What a command needs to run kernels: the device, its model, the compiler; and how results leave.
#pragma once

#include <memory>
#include <mutex>
#include <set>

#include "arch/model.hpp"
#include "cli/options.hpp"
#include "compile/nvrtc.hpp"
#include "device/device.hpp"
#include "ladder/run.hpp"
#include "record/record.hpp"

namespace warpwright::cli {

/// What kernels are compiled for, and which compilers were used; shared by the threads that compile.
struct Target {
    int compute_capability = 0;  ///< of a real device; 0 = the emulated one
    bool opencl = false;         ///< the device takes OpenCL C: its platform compiles
    std::shared_ptr<const compile::Nvrtc> nvrtc;
    std::mutex mutex;
    std::set<std::string> compilers;  ///< "NVRTC 12.8 for compute_90a"
};

struct Runtime {
    arch::DeviceModel model;
    bool model_fits = true;  ///< false on a real device that no model describes: no bounds then
    std::unique_ptr<device::Device> device;
    device::LaunchOptions launch;
    unsigned threads = 1;  ///< host threads, never 0
    std::uint64_t seed = 1;
    std::shared_ptr<Target> target;
    std::vector<std::string> notes;  ///< for standard error: why a device was not taken, for example

    bool real() const { return device->has_clock(); }
};

/// Loads the model and makes the device; the emulated one has the model's limits. "auto" takes cuda:0 where there is one
/// that works, unless options ask for what only emulation has.
Result<Runtime> make_runtime(const RunOptions& options);

/// What the device loads. For an OpenCL device that is the source of a .cl file with the macros before it; else PTX:
/// compiles .cu and .cl files, caching on disk; reads .ptx files. For the emulated device with the distribution's clang,
/// for a real one with NVRTC where there is one.
Result<std::string> compile_to_ptx(const std::string& path, const std::vector<std::string>& defines,
                                   const std::vector<std::string>& includes, Target& target);

/// Which compilers were used, for one line on standard error; empty for the emulated device.
std::string compilers_text(Target& target);

record::Environment environment(const Runtime& runtime, const RunOptions& options);

/// Adds bound, occupancy and intensity to a record that has counts.
void add_bound(ladder::RungRun& run, const arch::DeviceModel& model);

/// ErrorKind::usage for unknown columns, or JSON and CSV both to standard output.
Result<void> check_output(const OutputOptions& options);
/// Prints the records, or writes them to files, as asked. `extra` is printed after the table.
Result<void> give(const record::RecordSet& set, const OutputOptions& options, bool per_line, Console& console,
                  const std::string& extra = "");

}  // namespace warpwright::cli
