// The bandwidth that a copy reaches by the warps that a multiprocessor holds: by Little's law, and simulated.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "arch/model.hpp"
#include "lab/sweep/context.hpp"
#include "support/result.hpp"

namespace warpwright::lab {

/// Bytes per second of a copy with so many bytes of loads on their way in each multiprocessor: at most what the
/// memory's latency makes of them (Little's law), as much again for the stores, and no more than the memory's
/// bandwidth. 0: the model does not know the latency.
double littles_copy(const arch::DeviceModel& model, double bytes);

/// Shared memory per block that leaves room for `blocks` blocks of a multiprocessor and not for one more.
std::uint64_t held_for(const arch::DeviceModel& model, std::uint64_t blocks);

/// The rung `held` of the ladder `occupancy`, simulated: bytes per second by the elements that each thread copies and
/// the resident warps. Blocks have 256 threads, or 64 for fewer than 8 warps: the start of many small blocks would take
/// longer than their copies. A usage error where the context asks for bounds alone, or
/// for a model without warps of 32.
using CopyRates = std::map<std::pair<std::int64_t, std::int64_t>, double>;
Result<CopyRates> simulated_copies(const Context& context, const arch::DeviceModel& model,
                                   const std::vector<std::int64_t>& warps, std::int64_t elements);

}  // namespace warpwright::lab
