// A predicted time, to rank variants of a kernel where nothing can be timed. A bound alone ranks badly: it is a
// limit, and all variants that one resource limits alike share it. This adds the two effects that most often keep a
// variant from its bound: multiprocessors that wait for the busiest one, and latency that the resident warps do not
// hide.
#pragma once

#include <optional>

#include "arch/model.hpp"
#include "record/record.hpp"

namespace warpwright::predict {

/// Needs the record's counts, shape, bound and occupancy (annotate); absent if one of them is. Such a prediction orders
/// variants of one kernel; it is not a measured time. docs/tune.md explains the formula.
std::optional<record::Predicted> estimate(const record::Record& record, const arch::DeviceModel& model);

}  // namespace warpwright::predict
