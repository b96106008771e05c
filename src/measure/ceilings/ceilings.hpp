// The ceilings of a real device: rates, latencies and costs, measured by small kernels (kernels/measure) that do one
// thing each. Gives records for the printers and figures for a device model; a quantity that could not be measured has
// a record that says why.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "arch/model.hpp"
#include "device/device.hpp"
#include "measure/device_sample.hpp"
#include "record/record.hpp"

namespace warpwright::measure {

struct Ceilings {
    std::vector<record::Record> records;  ///< of experiments named by group
    std::vector<arch::Figure> figures;    ///< as a model file has them
};

struct CeilingOptions {
    std::string folder;  ///< of the kernels
    /// A source file to PTX for the device.
    std::function<Result<std::string>(const std::string& path, const std::vector<std::string>& defines)> compile;
    std::string how;                  ///< further text for a figure's source, after the date's and the device's
                                      ///< measurement
    std::vector<std::string> groups;  ///< the wanted ones of ceiling_groups(); empty = all
    bool deep = false;                ///< with groups empty: those of the model of time as well

    DeviceSampleOptions sample;  ///< of the best launch shape
    /// For each launch shape, to find the best.
    DeviceSampleOptions screen{3, 3, 3, 5e-3, 0, 0.2, 0.05, 2e-3, 1000};
    /// Loops and working sets relative to those on a GPU: tests on the emulated device shorten them.
    double work = 1;
    Clock clock = steady_seconds;              ///< of the host, for quantities that only the host can time
    std::chrono::milliseconds timeout{20000};  ///< of one launch or sample
    double within = 0;                         ///< seconds by `clock`; nothing begins after them. 0: all of it
    /// Called with the next measurement, and how many of all are done.
    std::function<void(const std::string& what, std::size_t done, std::size_t all)> progress;
    /// Called after each measurement with all that there is by then: whoever keeps it loses nothing to an abort.
    std::function<void(const Ceilings& so_far)> measured;
};

/// "clock", "memory", "latency", "shared", "arithmetic", "tensor", "transfers", "launches"; and those of the model of
/// time: "operations", "blocks", "waits", "traffic", "bulk".
const std::vector<std::string>& ceiling_groups();

/// Measures. `base` is the model of the device's data sheet: its sizes choose the working sets, and its figures are
/// listed beside the measured ones. Only a device without a clock is an error (ErrorKind::no_device); all other errors
/// are in the records.
Result<Ceilings> measure_ceilings(device::Device& device, const arch::DeviceModel& base, const CeilingOptions& options);

/// Whether a model has what measure_ceilings measures of a device itself: it is no data sheet to start from. Models
/// that come with the program have measured copies with the host and costs of launches, which do not count.
bool is_measured(const arch::DeviceModel& model);

/// The text of a model file that starts from `base` and has the figures.
std::string ceilings_model(const Ceilings& ceilings, const std::string& base, const std::string& title,
                           const std::string& comment);

}  // namespace warpwright::measure
