// A ladder's library rungs: NVIDIA's solution of the same problem, on the same buffers, verified as our kernels are.
#pragma once

#include <chrono>
#include <optional>
#include <span>

#include "ladder/problem.hpp"
#include "ladder/run.hpp"
#include "vendor/libraries.hpp"

namespace warpwright::measure {

/// The library's work on the first `sets` of its sets of buffers, one after the other.
struct LibraryWork {
    device::ForeignWork work;
    std::size_t sets = 0;
};

/// Runs the rung once on the first of these sets of buffers and fills its record up to the verification. Returns
/// nothing to time if it failed, is wrong or is left out: a library that this machine lacks, or that does not support
/// the problem, is no error. `memcpy` in a ladder that is no copy is compared with its input and counts as no solution:
/// its record has no `verified`.
std::optional<LibraryWork> verify_library_rung(device::Device& device, vendor::Libraries& libraries,
                                               const ladder::Rung& rung, const ladder::Variant& variant,
                                               const ladder::Problem& problem,
                                               std::span<const ladder::DeviceBuffers> sets,
                                               std::chrono::milliseconds timeout, ladder::RungRun& run);

}  // namespace warpwright::measure
