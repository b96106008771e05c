// A launch's trace as a picture for readers.
#pragma once

#include <string>

#include "arch/model.hpp"
#include "predict/bound.hpp"
#include "record/launch_picture.hpp"
#include "support/result.hpp"

namespace warpwright::predict {

/// Simulates the launch's trace (Work::trace) once more. `ptx`: the module's text, from which instructions are shown
/// with their operands; empty: without. An error as of simulated(), or where the trace is too long for a picture.
Result<record::LaunchPicture> launch_picture(const std::string& kernel, const Work& work,
                                             const arch::DeviceModel& model, std::string_view ptx);

}  // namespace warpwright::predict
