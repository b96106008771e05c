// The driver's header, for the many programs that include it and use the runtime alone: the names of its handles and of its
// errors. The driver's other functions (cuInit and the like) are not here: this project has a runtime library.
#pragma once
#define __cuda_cuda_h__
#define CUDAAPI
#define CUDA_CB

#include "driver_types.h"

typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st* CUcontext;
typedef struct CUmod_st* CUmodule;
typedef struct CUfunc_st* CUfunction;
typedef struct CUstream_st* CUstream;
typedef struct CUevent_st* CUevent;

// Descriptions of arrays for tensor copies: made by cuTensorMapEncodeTiled, which cudaGetDriverEntryPoint gives.
typedef unsigned int cuuint32_t;
typedef unsigned long cuuint64_t;
typedef enum cudaError_enum {
#define WW_DRIVER_ERROR(name, number) name = number,
#include "warpwright/driver_errors.inc"
#undef WW_DRIVER_ERROR
} CUresult;
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

// The driver's launch attributes are the runtime's by other names.
typedef cudaLaunchAttribute CUlaunchAttribute;
typedef cudaLaunchAttributeValue CUlaunchAttributeValue;
typedef cudaLaunchAttributeID CUlaunchAttributeID;
typedef struct CUarray_st* CUarray;
typedef struct CUmipmappedArray_st* CUmipmappedArray;
typedef unsigned long long CUtexObject;
typedef unsigned long long CUsurfObject;
typedef struct CUgraph_st* CUgraph;
typedef struct CUgraphNode_st* CUgraphNode;
typedef struct CUgraphExec_st* CUgraphExec;
typedef struct CUmemPoolHandle_st* CUmemoryPool;

/// The name of an error; nullptr and CUDA_ERROR_INVALID_VALUE for a number that is none.
static inline CUresult cuGetErrorName(CUresult error, const char** name) {
    switch (error) {
#define WW_DRIVER_ERROR(code, number) \
    case code: *name = #code; return CUDA_SUCCESS;
#include "warpwright/driver_errors.inc"
#undef WW_DRIVER_ERROR
    }
    *name = nullptr;
    return CUDA_ERROR_INVALID_VALUE;
}
/// What an error says: its name, since the driver's own sentences are not part of its documented interface.
static inline CUresult cuGetErrorString(CUresult error, const char** text) { return cuGetErrorName(error, text); }
