// The functions behind the entry points that are not templates, declared from the one table.
#pragma once

#include "libraries/cublas/context.hpp"

namespace warpwright::libraries::impl {

#define WW_CUBLAS(name, parameters, arguments) cublasStatus_t name parameters;
#define WW_CUBLAS_V2 WW_CUBLAS
#define WW_CUBLAS_NO_HANDLE WW_CUBLAS
#define WW_CUBLAS_WIDE WW_CUBLAS
#define WW_CUBLAS_WIDE_NO_HANDLE WW_CUBLAS
#define WW_BLAS(function, name, parameters, arguments)
#define WW_BLAS_PLAIN(function, name, parameters, arguments)
#define WW_BLAS_HOST(function, name, parameters, arguments)
#include "warpwright/cublas_api.inc"
#undef WW_CUBLAS
#undef WW_CUBLAS_V2
#undef WW_CUBLAS_NO_HANDLE
#undef WW_CUBLAS_WIDE
#undef WW_CUBLAS_WIDE_NO_HANDLE
#undef WW_BLAS
#undef WW_BLAS_PLAIN
#undef WW_BLAS_HOST

}  // namespace warpwright::libraries::impl
