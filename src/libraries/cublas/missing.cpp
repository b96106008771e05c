// Functions that are not implemented report it: once on standard error, and each time with CUBLAS_STATUS_NOT_SUPPORTED.
#include <string>

#include "cudart/state/runtime.hpp"
#include "warpwright/cublas_types.h"

// The parameters are not used, whatever they are.
#define WW_MISSING(name)                                                                                        \
    extern "C" __attribute__((visibility("default"))) cublasStatus_t name() {                                   \
        warpwright::cudart::Runtime::get().say(#name " is not supported by the emulated GPU's cuBLAS library"); \
        return CUBLAS_STATUS_NOT_SUPPORTED;                                                                     \
    }
#include "warpwright/cublas_missing.inc"
