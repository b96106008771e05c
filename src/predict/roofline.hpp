// The bound of a problem that was timed on a real device: its FLOP over the rate of their unit, or its bytes over the
// memory's bandwidth, whichever takes longer. It uses no counts, so it holds for any kernel or library.
#pragma once

#include "arch/model.hpp"
#include "record/record.hpp"

namespace warpwright::predict {

/// Fills the record's model, bound (by the data sheet's figures, which nothing can exceed) and, if it has a time,
/// its ceiling: the share reached of the binding rate, as measured on such a device if the model has that, else by
/// the data sheet. Uses Record::unit, flops and bytes; leaves the record alone where the model has no figure for
/// them.
void annotate_roofline(record::Record& record, const arch::DeviceModel& model);

}  // namespace warpwright::predict
