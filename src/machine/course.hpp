// Whether the course of a kernel's warps follows from its launch alone.
#pragma once

#include "simt/ir.hpp"

namespace warpwright::machine {

/// Whether which way the function's warps go, and what each access touches, follows from the launch's arguments and
/// shape, whatever memory has. Then launches with the same arguments have the same trace. No says that this is not
/// known: functions that call others, or wait for what goes on beside them, are not looked at.
bool follows_from_arguments(const simt::Function& f);

}  // namespace warpwright::machine
