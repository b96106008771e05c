// The runtime library's functions, handles and errors as the driver has them. Handles are the same: a CUstream is a
// cudaStream_t, a CUmodule and a CUlibrary the registry's binary.
#pragma once

#include "cudart/api/api.hpp"
#include "warpwright/driver_interface.h"

namespace warpwright::cuda_driver {

namespace rt = cudart::impl;

/// The driver's number for an error of the runtime. Most are the same.
CUresult code_of(cudaError_t error);

inline void* at(CUdeviceptr pointer) { return reinterpret_cast<void*>(pointer); }
inline void** at(CUdeviceptr* pointer) { return reinterpret_cast<void**>(pointer); }
/// nullptr where there is none.
cudaArray_t array_of(CUarray array);

inline cudaLibrary_t library_of(CUmodule module) { return reinterpret_cast<cudaLibrary_t>(module); }

/// "CUDA_ERROR_INVALID_VALUE"; nullptr for a number that is no error of the driver's.
const char* error_name(CUresult error);

}  // namespace warpwright::cuda_driver
