// Names and codes of errors come from one list, and the few codes in which the two libraries differ are exceptions
// here. Handles need no conversion beyond a cast, since both libraries share the objects.
#include "cuda_driver/state/handles.hpp"

namespace warpwright::cuda_driver {

const char* error_name(CUresult error) {
    switch (error) {
#define WW_DRIVER_ERROR(code, number) \
    case code:                        \
        return #code;
#include "warpwright/driver_errors.inc"
#undef WW_DRIVER_ERROR
    }
    return nullptr;
}

CUresult code_of(cudaError_t error) {
    switch (error) {
        case cudaErrorInvalidDeviceFunction:
            return CUDA_ERROR_INVALID_HANDLE;
        case cudaErrorCudartUnloading:
            return CUDA_ERROR_DEINITIALIZED;
        case cudaErrorInitializationError:
            return CUDA_ERROR_NOT_INITIALIZED;
        default:
            break;
    }
    // The numbers are the same, but for the runtime's own errors about arguments.
    const auto same = static_cast<CUresult>(error);
    return error_name(same) ? same : CUDA_ERROR_INVALID_VALUE;
}

}  // namespace warpwright::cuda_driver
