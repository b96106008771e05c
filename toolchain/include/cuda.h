// The driver's header: its types, and its functions, declared from the one table. A program that calls them links libcuda
// (-lcuda), but for the two that name errors.
#pragma once
#define __cuda_cuda_h__
#define CUDAAPI
#define CUDA_CB

#define CUDA_VERSION 13000

#include "warpwright/driver_interface.h"

// Descriptions of arrays for tensor copies.
typedef struct CUtensorMap_st { __attribute__((aligned(64))) cuuint64_t opaque[16]; } CUtensorMap;
typedef enum CUtensorMapDataType_enum {
    CU_TENSOR_MAP_DATA_TYPE_UINT8 = 0, CU_TENSOR_MAP_DATA_TYPE_UINT16, CU_TENSOR_MAP_DATA_TYPE_UINT32, CU_TENSOR_MAP_DATA_TYPE_INT32,
    CU_TENSOR_MAP_DATA_TYPE_UINT64, CU_TENSOR_MAP_DATA_TYPE_INT64, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, CU_TENSOR_MAP_DATA_TYPE_FLOAT32,
    CU_TENSOR_MAP_DATA_TYPE_FLOAT64, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ, CU_TENSOR_MAP_DATA_TYPE_TFLOAT32,
    CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ, CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B, CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN16B,
    CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B
} CUtensorMapDataType;
typedef enum CUtensorMapInterleave_enum {
    CU_TENSOR_MAP_INTERLEAVE_NONE = 0, CU_TENSOR_MAP_INTERLEAVE_16B, CU_TENSOR_MAP_INTERLEAVE_32B
} CUtensorMapInterleave;
typedef enum CUtensorMapSwizzle_enum {
    CU_TENSOR_MAP_SWIZZLE_NONE = 0, CU_TENSOR_MAP_SWIZZLE_32B, CU_TENSOR_MAP_SWIZZLE_64B, CU_TENSOR_MAP_SWIZZLE_128B,
    CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B, CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B_FLIP_8B, CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B
} CUtensorMapSwizzle;
typedef enum CUtensorMapL2promotion_enum {
    CU_TENSOR_MAP_L2_PROMOTION_NONE = 0, CU_TENSOR_MAP_L2_PROMOTION_L2_64B, CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B
} CUtensorMapL2promotion;
typedef enum CUtensorMapFloatOOBfill_enum {
    CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE = 0, CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA
} CUtensorMapFloatOOBfill;


#ifndef WARPWRIGHT_DRIVER_LIBRARY
#ifdef __cplusplus
extern "C" {
#endif
#define WW_CU_ROW(kind, version, name, symbol, parameters, arguments) CUresult symbol parameters;
#define WW_CU_INLINE(kind, version, name, parameters, arguments)
#define WW_CU_OLDER(kind, version, name, symbol, parameters, arguments)
#include "warpwright/driver_api.inc"
#undef WW_CU_ROW
#ifdef __cplusplus
}
#endif
// The newest form of a function is called by its name.
#define WW_CU(kind, version, name, parameters, arguments)
#define WW_CU_OLDER(kind, version, name, symbol, parameters, arguments)
#define WW_CU_AS(kind, version, name, symbol, parameters, arguments) \
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
#endif
