// Runs and times a ladder's CPU rungs on the host.
#pragma once

#include "ladder/problem.hpp"
#include "ladder/run.hpp"
#include "measure/host_sample.hpp"

namespace warpwright::measure {

/// The rung's record, with `time`, verified against the problem's reference. `threads` is for the rungs that use more
/// than one core; 0 = all. An error is in the record.
ladder::RungRun run_cpu_rung(const ladder::Rung& rung, const ladder::Variant& variant, const ladder::Problem& problem,
                             unsigned threads, const SampleOptions& options = {});

}  // namespace warpwright::measure
