// The runtime library's functions, handles and errors as the driver has them. Handles are the same: a CUstream is a
// cudaStream_t, a CUmodule and a CUlibrary the registry's binary.
#pragma once

#include <memory>

#include "cudart/api/api.hpp"
#include "cudart/memory/memory_table.hpp"
#include "warpwright/driver_interface.h"

namespace warpwright::cuda_driver {

namespace rt = cudart::impl;

/// The driver's number for an error of the runtime. Most are the same.
CUresult code_of(cudaError_t error);

inline void* at(CUdeviceptr pointer) { return reinterpret_cast<void*>(pointer); }
inline void** at(CUdeviceptr* pointer) { return reinterpret_cast<void**>(pointer); }
inline cudaArray_t handle_of(CUarray array) { return reinterpret_cast<cudaArray_t>(array); }
inline cudaMipmappedArray_t handle_of(CUmipmappedArray array) { return reinterpret_cast<cudaMipmappedArray_t>(array); }
/// What a handle stands for; nullptr where there is none.
std::shared_ptr<cudart::Array> array_of(CUarray array);

inline cudaLibrary_t library_of(CUmodule module) { return reinterpret_cast<cudaLibrary_t>(module); }

/// "CUDA_ERROR_INVALID_VALUE"; nullptr for a number that is no error of the driver's.
const char* error_name(CUresult error);

}  // namespace warpwright::cuda_driver
