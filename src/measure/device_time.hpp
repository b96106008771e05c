// Times verified work on a device with a clock, and writes down under what conditions.
#pragma once

#include "device/device.hpp"
#include "measure/device_sample.hpp"
#include "measure/rotation.hpp"
#include "record/record.hpp"

namespace warpwright::measure {

struct TimingOptions {
    bool cold = true;  ///< runs do not find their inputs in the device's caches
    std::chrono::milliseconds timeout{0};  ///< of one sample; 0 = no limit
    DeviceSampleOptions sample = {};
};

/// Runs the work on all sets of its buffers, one after the other, as the request says: Device::time of the sets' steps,
/// or Device::time_work of what queues a library's calls on each set.
using TimeFunction = std::function<Result<std::vector<double>>(const device::TimeRequest&)>;

/// Fills the record's time, of one run on one set, and its notes. `rotation` is what `work` goes through: its sets as they
/// were made, one and no flush where caches may be warm.
Result<void> time_into(record::Record& record, device::Device& device, const TimeFunction& work, const Rotation& rotation,
                       const TimingOptions& options);

}  // namespace warpwright::measure
