// The part of cuBLAS that we use: names, types and numbers from NVIDIA's public documentation, declared here so that
// neither its headers nor its library are needed to build. Matrices are column-major.
#pragma once

#include <cstddef>

#include "vendor/data_type.hpp"

namespace warpwright::vendor::cublas {

using Status = int;  ///< cublasStatus_t; 0 = success
using Handle = struct HandleTag*;

inline constexpr int kKeep = 0, kTranspose = 1;  ///< cublasOperation_t
inline constexpr int kDefaultAlgorithm = -1;     ///< cublasGemmAlgo_t

// X(member, symbol, result and parameters)
#define WARPWRIGHT_CUBLAS_ENTRY_POINTS(X)                                                                          \
    X(create, "cublasCreate_v2", Status(Handle*))                                                                  \
    X(destroy, "cublasDestroy_v2", Status(Handle))                                                                 \
    X(version, "cublasGetVersion_v2", Status(Handle, int*))                                                        \
    X(status_text, "cublasGetStatusString", const char*(Status))                                                   \
    X(set_stream, "cublasSetStream_v2", Status(Handle, void*))                                                     \
    X(set_workspace, "cublasSetWorkspace_v2", Status(Handle, void*, std::size_t))                                  \
    X(gemm, "cublasGemmEx",                                                                                        \
      Status(Handle, int, int, int, int, int, const void*, const void*, DataType, int, const void*, DataType, int, \
             const void*, void*, DataType, int, ComputeType, int))                                                 \
    X(geam_f32, "cublasSgeam",                                                                                     \
      Status(Handle, int, int, int, int, const float*, const float*, int, const float*, const float*, int, float*, \
             int))                                                                                                 \
    X(geam_f64, "cublasDgeam",                                                                                     \
      Status(Handle, int, int, int, int, const double*, const double*, int, const double*, const double*, int,     \
             double*, int))

struct CublasFunctions {
#define WARPWRIGHT_CUBLAS_MEMBER(member, symbol, ...) EntryPoint<__VA_ARGS__> member = nullptr;
    WARPWRIGHT_CUBLAS_ENTRY_POINTS(WARPWRIGHT_CUBLAS_MEMBER)
#undef WARPWRIGHT_CUBLAS_MEMBER
};

}  // namespace warpwright::vendor::cublas
