// cublasLt's interface, for programs that link it: our own library of that name (docs/libraries.md) or NVIDIA's. The
// numbers of its enumerations are those of NVIDIA's interface, so that programs that were compiled against its header
// run.
#pragma once
#include "cublas_v2.h"

typedef struct cublasLtContext* cublasLtHandle_t;
typedef struct {
    uint64_t data[8];
} cublasLtMatrixLayoutOpaque_t;
typedef struct {
    uint64_t data[8];
} cublasLtMatmulAlgo_t;
typedef struct {
    uint64_t data[8];
} cublasLtMatrixTransformDescOpaque_t;
typedef struct {
    uint64_t data[8];
} cublasLtMatmulPreferenceOpaque_t;
typedef struct {
    uint64_t data[32];
} cublasLtMatmulDescOpaque_t;
typedef cublasLtMatrixLayoutOpaque_t* cublasLtMatrixLayout_t;
typedef cublasLtMatmulDescOpaque_t* cublasLtMatmulDesc_t;
typedef cublasLtMatrixTransformDescOpaque_t* cublasLtMatrixTransformDesc_t;
typedef cublasLtMatmulPreferenceOpaque_t* cublasLtMatmulPreference_t;
typedef struct {
    cublasLtMatmulAlgo_t algo;
    size_t workspaceSize;
    cublasStatus_t state;
    float wavesCount;
    int reserved[4];
} cublasLtMatmulHeuristicResult_t;

// clang-format off
#define WW_LT_ATTRIBUTE(descriptor, name, number, type, member, first) CUBLASLT_##descriptor##_##name = number,
#define WW_LT_OF_LAYOUT
typedef enum {
#include "warpwright/cublaslt_attributes.inc"
} cublasLtMatrixLayoutAttribute_t;
#undef WW_LT_OF_LAYOUT
#define WW_LT_OF_DESC
typedef enum {
#include "warpwright/cublaslt_attributes.inc"
} cublasLtMatmulDescAttributes_t;
#undef WW_LT_OF_DESC
#define WW_LT_OF_TRANSFORM
typedef enum {
#include "warpwright/cublaslt_attributes.inc"
} cublasLtMatrixTransformDescAttributes_t;
#undef WW_LT_OF_TRANSFORM
#define WW_LT_OF_PREF
typedef enum {
#include "warpwright/cublaslt_attributes.inc"
} cublasLtMatmulPreferenceAttributes_t;
#undef WW_LT_OF_PREF
#define WW_LT_OF_CONFIG
typedef enum {
#include "warpwright/cublaslt_attributes.inc"
} cublasLtMatmulAlgoConfigAttributes_t;
#undef WW_LT_OF_CONFIG
#undef WW_LT_ATTRIBUTE
typedef enum { CUBLASLT_ORDER_COL = 0, CUBLASLT_ORDER_ROW = 1, CUBLASLT_ORDER_COL32 = 2, CUBLASLT_ORDER_COL4_4R2_8C = 3,
               CUBLASLT_ORDER_COL32_2R_4R4 = 4 } cublasLtOrder_t;
typedef enum { CUBLASLT_POINTER_MODE_HOST = 0, CUBLASLT_POINTER_MODE_DEVICE = 1, CUBLASLT_POINTER_MODE_DEVICE_VECTOR = 2,
               CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_ZERO = 3, CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_HOST = 4
} cublasLtPointerMode_t;
typedef enum { CUBLASLT_MATMUL_MATRIX_SCALE_SCALAR_32F = 0, CUBLASLT_MATMUL_MATRIX_SCALE_VEC16_UE4M3 = 1,
               CUBLASLT_MATMUL_MATRIX_SCALE_VEC32_UE8M0 = 2, CUBLASLT_MATMUL_MATRIX_SCALE_OUTER_VEC_32F = 3,
               CUBLASLT_MATMUL_MATRIX_SCALE_VEC128_32F = 4 } cublasLtMatmulMatrixScale_t;
typedef enum { CUBLASLT_BATCH_MODE_STRIDED = 0, CUBLASLT_BATCH_MODE_POINTER_ARRAY = 1 } cublasLtBatchMode_t;
typedef enum { CUBLASLT_REDUCTION_SCHEME_NONE = 0, CUBLASLT_REDUCTION_SCHEME_INPLACE = 1, CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE = 2,
               CUBLASLT_REDUCTION_SCHEME_OUTPUT_TYPE = 4, CUBLASLT_REDUCTION_SCHEME_MASK = 7 } cublasLtReductionScheme_t;
typedef enum { CUBLASLT_SEARCH_BEST_FIT = 0, CUBLASLT_SEARCH_LIMITED_BY_ALGO_ID = 1 } cublasLtMatmulSearch_t;
typedef enum {
    CUBLASLT_EPILOGUE_DEFAULT = 1, CUBLASLT_EPILOGUE_RELU = 2, CUBLASLT_EPILOGUE_RELU_AUX = 2 | 128, CUBLASLT_EPILOGUE_BIAS = 4,
    CUBLASLT_EPILOGUE_RELU_BIAS = 2 | 4, CUBLASLT_EPILOGUE_RELU_AUX_BIAS = 2 | 4 | 128, CUBLASLT_EPILOGUE_DRELU = 8 | 128,
    CUBLASLT_EPILOGUE_DRELU_BGRAD = 8 | 16 | 128, CUBLASLT_EPILOGUE_GELU = 32, CUBLASLT_EPILOGUE_GELU_AUX = 32 | 128,
    CUBLASLT_EPILOGUE_GELU_BIAS = 32 | 4, CUBLASLT_EPILOGUE_GELU_AUX_BIAS = 32 | 4 | 128, CUBLASLT_EPILOGUE_DGELU = 64 | 128,
    CUBLASLT_EPILOGUE_DGELU_BGRAD = 64 | 16 | 128, CUBLASLT_EPILOGUE_BGRADA = 256, CUBLASLT_EPILOGUE_BGRADB = 512
} cublasLtEpilogue_t;
// clang-format on

#ifdef __cplusplus
extern "C" {
#endif
#define WW_CUBLASLT(name, parameters, arguments) cublasStatus_t name parameters;
#include "warpwright/cublaslt_api.inc"
#undef WW_CUBLASLT
const char* cublasLtGetStatusName(cublasStatus_t status);
const char* cublasLtGetStatusString(cublasStatus_t status);
size_t cublasLtGetVersion(void);
size_t cublasLtGetCudartVersion(void);
unsigned cublasLtDisableCpuInstructionsSetMask(unsigned mask);

static inline cublasStatus_t cublasLtMatrixLayoutInit(cublasLtMatrixLayout_t layout, cudaDataType type, uint64_t rows,
                                                      uint64_t cols, int64_t ld) {
    return cublasLtMatrixLayoutInit_internal(layout, sizeof(*layout), type, rows, cols, ld);
}
static inline cublasStatus_t cublasLtMatmulDescInit(cublasLtMatmulDesc_t desc, cublasComputeType_t compute,
                                                    cudaDataType scale) {
    return cublasLtMatmulDescInit_internal(desc, sizeof(*desc), compute, scale);
}
static inline cublasStatus_t cublasLtMatrixTransformDescInit(cublasLtMatrixTransformDesc_t desc, cudaDataType scale) {
    return cublasLtMatrixTransformDescInit_internal(desc, sizeof(*desc), scale);
}
static inline cublasStatus_t cublasLtMatmulPreferenceInit(cublasLtMatmulPreference_t preference) {
    return cublasLtMatmulPreferenceInit_internal(preference, sizeof(*preference));
}
#ifdef __cplusplus
}
#endif
