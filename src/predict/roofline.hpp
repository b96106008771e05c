// The bound of a problem that was timed on a real device: its FLOP over the rate of the unit that does them, its bytes
// over the memory's bandwidth, the larger of both. Nothing is counted here, so this holds for any kernel or library.
#pragma once

#include "arch/model.hpp"
#include "record/record.hpp"

namespace warpwright::predict {

/// Fills the record's model, bound (by the data sheet's figures, which nothing can exceed) and, where it has a time,
/// its ceiling: how much of the rate that binds was reached, as it was measured on such a device where the model says
/// so, else by the data sheet. Uses Record::unit, flops and bytes; leaves the record alone where the model has no
/// figure for them.
void annotate_roofline(record::Record& record, const arch::DeviceModel& model);

}  // namespace warpwright::predict
