// How many times faster a rung is than others of the same problem in the same run.
#pragma once

#include <string>
#include <vector>

#include "record/record.hpp"

namespace warpwright::measure {

/// Fills Record::speedup of the records that have a time, within each experiment, axes of the problem (`axes`) and
/// size: over the first of our kernels in order, over the fastest rung on the CPU, and over the fastest library rung
/// that solves the problem (`verified`). A rung that multiplies in TF32 is compared with a library in TF32, all others
/// with one that does not.
void compare(std::vector<record::Record>& records, const std::vector<std::string>& axes);

}  // namespace warpwright::measure
