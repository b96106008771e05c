// Start, versions, errors, and what has no counterpart here.
#include <cstring>

#include "cuda_driver/api/api.hpp"
#include "cudart/state/call_stack.hpp"
#include "cudart/state/driver_start.hpp"
#include "cudart/state/runtime.hpp"

extern "C" const char* cudaGetErrorString(cudaError_t error);

namespace warpwright::cuda_driver {
namespace impl {

CUresult cuInit(unsigned flags) {
    if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
    if (cudart::Runtime::get().devices() == 0) return CUDA_ERROR_NO_DEVICE;
    cudart::start_driver();
    (void)cudart::calling_place();  // a Python program that is checked then compiles its kernels with their lines
    return CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int* version) { return code_of(rt::cudaDriverGetVersion(version)); }

CUresult cuGetErrorName(CUresult error, const char** name) {
    if (!name) return CUDA_ERROR_INVALID_VALUE;
    *name = error_name(error);
    return *name ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult error, const char** text) {
    if (!text) return CUDA_ERROR_INVALID_VALUE;
    *text = error_name(error) ? ::cudaGetErrorString(static_cast<cudaError_t>(error)) : nullptr;
    return *text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

// The tables through which NVIDIA's own libraries speak to its driver are not part of any documented interface.
CUresult cuGetExportTable(const void** table, const CUuuid* id) {
    if (!table || !id) return CUDA_ERROR_INVALID_VALUE;
    *table = nullptr;
    cudart::Runtime::get().say(
        "a library of NVIDIA's asked for a private table of its driver (cuGetExportTable): there is none here. A "
        "program "
        "that has the static CUDA runtime in it runs if it is not stripped (warpwright run), or built with -cudart "
        "shared");
    return CUDA_ERROR_NOT_FOUND;
}

CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode* mode) {
    if (!mode) return CUDA_ERROR_INVALID_VALUE;
    *mode = CU_MODULE_LAZY_LOADING;
    return CUDA_SUCCESS;
}

CUresult cuProfilerInitialize(const char*, const char*, int) { return CUDA_ERROR_PROFILER_DISABLED; }
CUresult cuProfilerStart() { return code_of(rt::cudaProfilerStart()); }
CUresult cuProfilerStop() { return code_of(rt::cudaProfilerStop()); }

}  // namespace impl
}  // namespace warpwright::cuda_driver
