// The functions behind the driver's entry points, declared from the one table; the files of api/ define them. Most are
// the runtime library's by another name (namespace rt), and the handles are the same: a CUstream is a cudaStream_t, a
// CUfunction and a CUkernel are the registry's kernel, a CUmodule and a CUlibrary its binary.
#pragma once

#include "cuda_driver/state/handles.hpp"
#include "warpwright/driver_interface.h"

namespace warpwright::cuda_driver {

namespace impl {

#define WW_CU_ROW(kind, rule, version, name, symbol, parameters, arguments) CUresult symbol parameters;
#include "warpwright/driver_api.inc"
#undef WW_CU_ROW

}  // namespace impl
}  // namespace warpwright::cuda_driver
