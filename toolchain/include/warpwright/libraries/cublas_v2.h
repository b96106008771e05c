// cuBLAS, for programs that link it: our own library of that name (docs/libraries.md) or NVIDIA's. Its functions are declared from the one
// table; those that NVIDIA's library exports as name_v2 are called by their names.
#pragma once
#define CUBLAS_V2_H_
#define CUBLAS_API_H_
#define CUBLASAPI
#define CUBLAS_VER_MAJOR 13
#define CUBLAS_VER_MINOR 0
#define CUBLAS_VER_PATCH 0
#define CUBLAS_VERSION 130000

#include "cuComplex.h"
#include "cuda_runtime_api.h"
#if defined(__CUDA__)
#include "cuda_bf16.h"
#include "cuda_fp16.h"
#endif
#include "warpwright/cublas_types.h"

#ifdef __cplusplus
extern "C" {
#endif
#define WW_S(pointer) pointer
#define WW_ARRAY(pointer, count) pointer
#define WW_CUBLAS_NO_HANDLE(name, parameters, arguments) cublasStatus_t name parameters;
#define WW_CUBLAS(name, parameters, arguments) cublasStatus_t name parameters;
#define WW_CUBLAS_V2(name, parameters, arguments) WW_CUBLAS_BOTH(name, , parameters, arguments)
#define WW_CUBLAS_BOTH(name, width, parameters, arguments) WW_CUBLAS_BOTH_(name, width, parameters, arguments)
#define WW_CUBLAS_BOTH_(name, width, parameters, arguments) \
    cublasStatus_t name##_v2##width parameters;             \
    static inline cublasStatus_t name##width parameters { return name##_v2##width arguments; }
#define WW_CUBLAS_ONE(name, width, parameters) WW_CUBLAS_ONE_(name, width, parameters)
#define WW_CUBLAS_ONE_(name, width, parameters) cublasStatus_t name##width parameters;
#define WW_CUBLAS_WIDE(name, parameters, arguments) WW_CUBLAS_ONE(name, WW_64, parameters)
#define WW_CUBLAS_WIDE_NO_HANDLE WW_CUBLAS_WIDE
#define WW_BLAS(function, name, parameters, arguments) WW_CUBLAS_BOTH(name, WW_64, parameters, arguments)
#define WW_BLAS_HOST WW_BLAS
#define WW_BLAS_PLAIN(function, name, parameters, arguments) WW_CUBLAS_ONE(name, WW_64, parameters)
#include "warpwright/cublas_api.inc"
#undef WW_S
#undef WW_ARRAY
#undef WW_CUBLAS_NO_HANDLE
#undef WW_CUBLAS
#undef WW_CUBLAS_V2
#undef WW_CUBLAS_BOTH
#undef WW_CUBLAS_BOTH_
#undef WW_CUBLAS_ONE
#undef WW_CUBLAS_ONE_
#undef WW_CUBLAS_WIDE
#undef WW_CUBLAS_WIDE_NO_HANDLE
#undef WW_BLAS
#undef WW_BLAS_HOST
#undef WW_BLAS_PLAIN
size_t cublasGetCudartVersion(void);
const char* cublasGetStatusName(cublasStatus_t status);
const char* cublasGetStatusString(cublasStatus_t status);
static inline cublasStatus_t cublasCreate(cublasHandle_t* handle) { return cublasCreate_v2(handle); }
static inline cublasStatus_t cublasGetVersion(cublasHandle_t handle, int* version) { return cublasGetVersion_v2(handle, version); }
#ifdef __cplusplus
}
#endif
