// The driver's header: its types, and its functions, declared from the one table. A program that calls them links libcuda
// (-lcuda), but for the two that name errors.
#pragma once
#define __cuda_cuda_h__
#define CUDAAPI
#define CUDA_CB

#define CUDA_VERSION 13000

#include "warpwright/driver_interface.h"
#include "warpwright/driver_names.h"

#ifdef __cplusplus
extern "C" {
#endif
#define WW_CU_ROW(kind, rule, version, name, symbol, parameters, arguments) CUresult symbol parameters;
#define WW_CU_INLINE(kind, rule, version, name, parameters, arguments)
#define WW_CU_OLDER(kind, rule, version, name, symbol, parameters, arguments)
#include "warpwright/driver_api.inc"
#undef WW_CU_ROW
#ifdef __cplusplus
}
#endif
// The newest form of a function is called by its name.
#define WW_CU(kind, rule, version, name, parameters, arguments)
#define WW_CU_OLDER(kind, rule, version, name, symbol, parameters, arguments)
#define WW_CU_AS(kind, rule, version, name, symbol, parameters, arguments) \
    static inline CUresult name parameters { return symbol arguments; }
#include "warpwright/driver_api.inc"
static inline CUresult cuGraphInstantiate(CUgraphExec* exec, CUgraph graph, unsigned long long flags) {
    return cuGraphInstantiateWithFlags(exec, graph, flags);
}

/// The name of an error; nullptr and CUDA_ERROR_INVALID_VALUE for a number that is none.
static inline CUresult cuGetErrorName(CUresult error, const char** name) {
    switch (error) {
#define WW_DRIVER_ERROR(code, number) \
    case code: *name = #code; return CUDA_SUCCESS;
#include "warpwright/driver_errors.inc"
#undef WW_DRIVER_ERROR
    }
    *name = 0;
    return CUDA_ERROR_INVALID_VALUE;
}
/// What an error says: its name, since the driver's own sentences are not part of its documented interface.
static inline CUresult cuGetErrorString(CUresult error, const char** text) { return cuGetErrorName(error, text); }

#include "warpwright/driver_green.h"
#include "warpwright/driver_older.h"
