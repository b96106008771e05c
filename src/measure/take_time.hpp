// The time of a rung that has been verified, into its record.
#pragma once

#include "measure/device_sample.hpp"
#include "record/record.hpp"

namespace warpwright::measure {

/// Samples the work and fills the record's time, with a note where the samples differ much.
Result<void> take_time(record::Record& record, const DeviceWork& work, const DeviceSampleOptions& options);

}  // namespace warpwright::measure
