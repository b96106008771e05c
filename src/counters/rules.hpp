// Chooses the rules of access.hpp for a device: by its model's coalescing rule, compute capability and banks.
#pragma once

#include <string_view>

#include "arch/model.hpp"
#include "counters/access.hpp"

namespace warpwright::counters {

/// The banks of a device. `wide_banks`: the 8-byte mode of compute capability 3.x; other devices have no such mode, so
/// it changes nothing there.
BankRule bank_rule(const arch::DeviceModel& model, bool wide_banks = false);

/// How a device joins the lanes of a global request.
CoalescingRule coalescing_rule(const arch::DeviceModel& model);

/// Bytes of the units that the rule counts: 32 (a sector), 64 or 128 (a line); 0 on compute capability 1.x, where they
/// differ.
unsigned segment_bytes(const CoalescingRule& rule);

/// Whether a device has the 8-byte bank mode.
bool has_wide_banks(const arch::DeviceModel& model);

}  // namespace warpwright::counters
