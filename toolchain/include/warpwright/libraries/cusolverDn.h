// cuSOLVER's dense interface, for programs that link it: our own library of that name (docs/libraries.md) or NVIDIA's.
#pragma once
#include "cusolver_common.h"

#ifdef __cplusplus
extern "C" {
#endif
#define WW_CUSOLVER(name, parameters, call) cusolverStatus_t name parameters;
#include "warpwright/cusolver_api.inc"
#undef WW_CUSOLVER
#ifdef __cplusplus
}
#endif
