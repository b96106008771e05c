// Declarations of the runtime library's host functions, from the one table; the functions themselves come with our
// libcudart. Kernels are compiled from files that hold host code too, and that code has to parse.
#pragma once
#define __CUDA_RUNTIME_API_H__

#include "driver_types.h"
#include "library_types.h"
#include "warpwright/runtime_constructors.h"

extern "C" {
#define WW_OR(value) = value
#define WW_API(name, parameters, arguments) cudaError_t name parameters;
#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM  // nvcc's --default-stream per-thread: stream 0 is the thread's own
#define WW_API_STREAM(name, parameters, arguments) cudaError_t name parameters __asm__(#name "_ptsz");
#define WW_API_LEGACY(name, parameters, arguments) cudaError_t name parameters __asm__(#name "_ptds");
// clang calls it by this name where kernels are launched.
cudaError_t cudaLaunchKernel_ptsz(const void* kernel, dim3 grid, dim3 block, void** arguments, size_t shared, cudaStream_t stream);
#else
#define WW_API_STREAM WW_API
#define WW_API_LEGACY WW_API
#endif
#include "warpwright/runtime_api.inc"
#undef WW_API
#undef WW_API_STREAM
#undef WW_API_LEGACY
#undef WW_OR
const char* cudaGetErrorString(cudaError_t error);
const char* cudaGetErrorName(cudaError_t error);
struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, enum cudaChannelFormatKind f);
// What <<<...>>> calls: the second where clang knows no version of the toolkit, as when it compiles for the device.
unsigned int __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared = 0, cudaStream_t stream = nullptr);
cudaError_t cudaConfigureCall(dim3 grid, dim3 block, size_t shared = 0, cudaStream_t stream = nullptr);
}

#include "warpwright/runtime_templates.h"
#include "warpwright/runtime_older.h"
