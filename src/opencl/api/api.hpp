// The functions behind the entry points, each with the parameters of its row in the list.
#pragma once

#include "opencl/state/objects.hpp"

namespace warpwright::opencl::impl {

#define WW_CL(kind, type, name, parameters, arguments) type name parameters;
#include "opencl/state/functions.inc"

}  // namespace warpwright::opencl::impl
