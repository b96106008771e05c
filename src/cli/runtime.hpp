// What a command needs to run kernels: the device, its model, the compiler; and how results leave.
#pragma once

#include <memory>

#include "arch/model.hpp"
#include "cli/options.hpp"
#include "device/device.hpp"
#include "ladder/run.hpp"
#include "record/record.hpp"

namespace warpwright::cli {

struct Runtime {
    arch::DeviceModel model;
    std::unique_ptr<device::Device> device;
    device::LaunchOptions launch;
    unsigned threads = 1;  ///< host threads, never 0
};

/// Loads the model and makes the device with the model's limits.
Result<Runtime> make_runtime(const RunOptions& options);

/// Compiles .cu and .cl files with the distribution's clang, caching on disk; reads .ptx files.
Result<std::string> compile_to_ptx(const std::string& path, const std::vector<std::string>& defines,
                                   const std::vector<std::string>& includes);

record::Environment environment(const Runtime& runtime, const RunOptions& options);

/// Adds bound, occupancy and intensity to a record that has counts.
void add_bound(ladder::RungRun& run, const arch::DeviceModel& model);

/// ErrorKind::usage for unknown columns, or JSON and CSV both to standard output.
Result<void> check_output(const OutputOptions& options);
/// Prints the records, or writes them to files, as asked. `extra` is printed after the table.
Result<void> give(const record::RecordSet& set, const OutputOptions& options, bool per_line, Console& console,
                  const std::string& extra = "");

}  // namespace warpwright::cli
