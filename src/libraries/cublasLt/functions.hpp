// The functions behind the entry points.
#pragma once

#include <cublasLt.h>

namespace warpwright::libraries::lt_impl {

#define WW_CUBLASLT(name, parameters, arguments) cublasStatus_t name parameters;
#include "warpwright/cublaslt_api.inc"
#undef WW_CUBLASLT

}  // namespace warpwright::libraries::lt_impl
