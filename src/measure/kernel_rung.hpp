// Runs a ladder's kernel rungs on a device with a clock: verified first, then timed.
#pragma once

#include "ladder/problem.hpp"
#include "ladder/run.hpp"
#include "measure/device_time.hpp"

namespace warpwright::measure {

/// The rung's record. It runs once on fresh inputs and poisoned outputs and is compared with the reference; only what
/// passes (or has no reference) is then timed. An error of either is in the record, what was known before it is kept.
ladder::RungRun run_kernel_rung(ladder::Session& session, const ladder::Rung& rung, const ladder::Variant& variant,
                                ladder::Problem& problem, const TimingOptions& options = {});

/// Fills Record::speedup of the records that have a time, each within its experiment, axes of the problem (`axes`) and
/// size: over the first kernel rung in order, and over the fastest rung on the CPU.
void compare(std::vector<record::Record>& records, const std::vector<std::string>& axes);

}  // namespace warpwright::measure
