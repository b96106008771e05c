// The time that a launch is predicted to take, from its trace: the one place that every command has it from.
#pragma once

#include <optional>

#include "predict/bound.hpp"
#include "timing/prediction.hpp"

namespace warpwright::predict {

/// By the simulated multiprocessor; absent where the launch kept no trace (Work::trace) or is not possible on the
/// model.
std::optional<timing::Prediction> prediction(const Work& work, const arch::DeviceModel& model);

/// Blocks that a launch should keep the course of (device::LaunchOptions::trace_blocks).
std::uint32_t blocks_to_trace(const Work& work, const arch::DeviceModel& model);

/// Puts the predicted time into the record, and notes that say what it is made of. An error of kind limit where the
/// launch is not possible on the model.
Result<void> annotate_prediction(record::Record& record, const Work& work, const arch::DeviceModel& model);

}  // namespace warpwright::predict
