// What a command needs to run kernels: the device, its model, the compiler; and how results leave.
#pragma once

#include <memory>

#include "arch/model.hpp"
#include "cli/options/options.hpp"
#include "device/cuda/cuda_device.hpp"
#include "device/device.hpp"
#include "lab/sweep/context.hpp"
#include "predict/prediction.hpp"
#include "record/record.hpp"
#include "support/source_files.hpp"

namespace warpwright::cli {

struct Runtime {
    arch::DeviceModel model;
    bool model_fits = true;  ///< false on a real device that no model describes: no bounds then
    std::unique_ptr<device::Device> device;
    device::LaunchOptions launch;
    predict::Simulate simulate = predict::Simulate::none;  ///< which launches have predicted times
    unsigned threads = 1;                                  ///< host threads, never 0
    std::uint64_t seed = 1;
    std::shared_ptr<lab::Target> target;
    std::vector<std::string> notes;  ///< for standard error: why a device was not taken, for example

    bool real() const { return device->timer() != nullptr; }
    /// What the laboratory runs with, by the options this was made from.
    lab::Context context(const RunOptions& options, lab::Observer* observer = nullptr) const;
};

/// The device model that fits a real device, by what its driver says of it.
std::optional<arch::DeviceModel> model_of(const device::CudaDeviceInfo& info);
/// The number of "cuda:1"; 0 where the word ends before it. Absent where it is no such word.
std::optional<int> ordinal_of(const std::string& word, const std::string& kind);

/// By --predict and --bounds, else the environment; none on a real device.
Result<predict::Simulate> which_simulated(const RunOptions& options, bool real);

/// Loads the model and makes the device; the emulated one has the model's limits. "auto" takes cuda:0 where there is
/// one that works, unless options ask for what only emulation has.
Result<Runtime> make_runtime(const RunOptions& options);

/// ErrorKind::usage for unknown columns or languages, or JSON and CSV both to standard output; ErrorKind::input for
/// files that could not be written.
Result<void> check_output(const OutputOptions& options);
/// Writes a text to a file, or to standard output where the file is "-".
Result<void> write_or_print(const std::string& file, const std::string& text, Console& console);

/// Prints the records, or writes them to files, as asked. `extra` is printed after the table; `may_show`: the files
/// whose lines stand beside their counts.
Result<void> give(const record::RecordSet& set, const OutputOptions& options, bool per_line, Console& console,
                  const std::string& extra = "", const SourceFiles::MayShow& may_show = {});

}  // namespace warpwright::cli
