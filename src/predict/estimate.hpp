// A predicted time, to rank variants of a kernel by where nothing can be timed. A bound alone ranks badly: it says what
// a kernel cannot beat, and variants that one resource binds alike have the same. This adds the two things that keep
// variants from it most: multiprocessors that wait for the busiest one, and latency that the resident warps do not
// hide.
#pragma once

#include <optional>

#include "arch/model.hpp"
#include "record/record.hpp"

namespace warpwright::predict {

/// Needs the record's counts, shape, bound and occupancy (annotate); absent where one of them is. A prediction of this
/// kind orders variants of one kernel; it is no time to be had. How it is made up is in docs/tune.md.
std::optional<record::Predicted> estimate(const record::Record& record, const arch::DeviceModel& model);

}  // namespace warpwright::predict
