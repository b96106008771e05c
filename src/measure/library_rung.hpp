// Runs and times a ladder's library rungs: what NVIDIA makes of the same problem, on the same buffers, by the same clock.
#pragma once

#include "ladder/problem.hpp"
#include "ladder/run.hpp"
#include "measure/device_time.hpp"
#include "vendor/libraries.hpp"

namespace warpwright::measure {

/// The rung's record, verified as any other before it is timed. A library that this machine lacks, or that does not do
/// what the problem asks, leaves the rung out: the record says why, and no error is reported. `memcpy` in a ladder that
/// is no copy is compared with its input and counts as no solution: its record has no `verified`.
ladder::RungRun run_library_rung(device::Device& device, vendor::Libraries& libraries, const ladder::Rung& rung,
                                 const ladder::Variant& variant, ladder::Problem& problem,
                                 const TimingOptions& options = {});

}  // namespace warpwright::measure
