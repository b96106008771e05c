// The part of cuSPARSELt that we use, NVIDIA's library for products whose A has two zeros in four (2:4). Names, types
// and numbers are from its public documentation for versions 0.6 and newer; matrices may be row-major.
#pragma once

#include <cstddef>
#include <cstdint>

#include "vendor/data_type.hpp"

namespace warpwright::vendor::cusparselt {

using Status = int;  ///< cusparseStatus_t; 0 = success

/// Its handles and descriptors are structures of its caller's: 512 bytes now, 11024 in older versions.
struct Opaque {
    alignas(16) std::uint8_t data[16384];
};

inline constexpr int kKeep = 0, kTranspose = 1;                          ///< cusparseOperation_t
inline constexpr int kRowMajor = 2;                                      ///< cusparseOrder_t
inline constexpr int kHalf = 0;                                          ///< cusparseLtSparsity_t: 50 percent
inline constexpr int kComputeI32 = 0, kComputeF16 = 1, kComputeF32 = 2;  ///< cusparseComputeType
inline constexpr int kMajorVersion = 0, kMinorVersion = 1, kPatch = 2;   ///< libraryPropertyType

#define WARPWRIGHT_CUSPARSELT_ENTRY_POINTS(X)                                                                       \
    X(create, "cusparseLtInit", Status(Opaque*))                                                                    \
    X(destroy, "cusparseLtDestroy", Status(const Opaque*))                                                          \
    X(property, "cusparseLtGetProperty", Status(int, int*))                                                         \
    X(status_text, "cusparseLtGetErrorString", const char*(Status))                                                 \
    X(dense, "cusparseLtDenseDescriptorInit",                                                                       \
      Status(const Opaque*, Opaque*, std::int64_t, std::int64_t, std::int64_t, std::uint32_t, DataType, int))       \
    X(structured, "cusparseLtStructuredDescriptorInit",                                                             \
      Status(const Opaque*, Opaque*, std::int64_t, std::int64_t, std::int64_t, std::uint32_t, DataType, int, int))  \
    X(matrix_destroy, "cusparseLtMatDescriptorDestroy", Status(const Opaque*))                                      \
    X(operation, "cusparseLtMatmulDescriptorInit",                                                                  \
      Status(const Opaque*, Opaque*, int, int, const Opaque*, const Opaque*, const Opaque*, const Opaque*, int))    \
    X(selection, "cusparseLtMatmulAlgSelectionInit", Status(const Opaque*, Opaque*, const Opaque*, int))            \
    X(plan, "cusparseLtMatmulPlanInit", Status(const Opaque*, Opaque*, const Opaque*, const Opaque*))               \
    X(plan_destroy, "cusparseLtMatmulPlanDestroy", Status(const Opaque*))                                           \
    X(workspace, "cusparseLtMatmulGetWorkspace", Status(const Opaque*, const Opaque*, std::size_t*))                \
    X(compressed_size, "cusparseLtSpMMACompressedSize",                                                             \
      Status(const Opaque*, const Opaque*, std::size_t*, std::size_t*))                                             \
    X(compress, "cusparseLtSpMMACompress", Status(const Opaque*, const Opaque*, const void*, void*, void*, void*))  \
    X(search, "cusparseLtMatmulSearch",                                                                             \
      Status(const Opaque*, Opaque*, const void*, const void*, const void*, const void*, const void*, void*, void*, \
             void**, std::int32_t))                                                                                 \
    X(multiply, "cusparseLtMatmul",                                                                                 \
      Status(const Opaque*, const Opaque*, const void*, const void*, const void*, const void*, const void*, void*,  \
             void*, void**, std::int32_t))

struct CusparseLtFunctions {
#define WARPWRIGHT_CUSPARSELT_MEMBER(member, symbol, ...) EntryPoint<__VA_ARGS__> member = nullptr;
    WARPWRIGHT_CUSPARSELT_ENTRY_POINTS(WARPWRIGHT_CUSPARSELT_MEMBER)
#undef WARPWRIGHT_CUSPARSELT_MEMBER
};

}  // namespace warpwright::vendor::cusparselt
