// What cuBLAS and cublasLt answer: by name, and for what the runtime library answered.
#pragma once

#include "cudart/api/api.hpp"
#include "warpwright/cublas_types.h"

namespace warpwright::libraries {

inline const char* status_name(cublasStatus_t status) {
    switch (status) {
#define WW_STATUS(name) \
    case name:          \
        return #name;
        WW_STATUS(CUBLAS_STATUS_SUCCESS)
        WW_STATUS(CUBLAS_STATUS_NOT_INITIALIZED)
        WW_STATUS(CUBLAS_STATUS_ALLOC_FAILED)
        WW_STATUS(CUBLAS_STATUS_INVALID_VALUE)
        WW_STATUS(CUBLAS_STATUS_ARCH_MISMATCH)
        WW_STATUS(CUBLAS_STATUS_MAPPING_ERROR)
        WW_STATUS(CUBLAS_STATUS_EXECUTION_FAILED)
        WW_STATUS(CUBLAS_STATUS_INTERNAL_ERROR)
        WW_STATUS(CUBLAS_STATUS_NOT_SUPPORTED)
        WW_STATUS(CUBLAS_STATUS_LICENSE_ERROR)
#undef WW_STATUS
    }
    return "<unknown>";
}

/// The status for what the runtime library answered.
inline cublasStatus_t status_of(cudaError_t error) {
    if (error == cudaSuccess) return CUBLAS_STATUS_SUCCESS;
    if (error == cudaErrorMemoryAllocation) return CUBLAS_STATUS_ALLOC_FAILED;
    if (error == cudaErrorNoKernelImageForDevice) return CUBLAS_STATUS_ARCH_MISMATCH;
    return CUBLAS_STATUS_EXECUTION_FAILED;
}

}  // namespace warpwright::libraries
