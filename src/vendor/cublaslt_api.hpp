// The part of cublasLt that we use, cuBLAS' lighter library: its caller picks among the algorithms that its heuristics
// propose. Names, types and numbers are from NVIDIA's public documentation. Matrices are column-major.
#pragma once

#include <cstddef>
#include <cstdint>

#include "vendor/data_type.hpp"

namespace warpwright::vendor::cublaslt {

using Status = int;  ///< cublasStatus_t; 0 = success
using Handle = struct HandleTag*;
using Operation = struct OperationTag*;    ///< cublasLtMatmulDesc_t
using Layout = struct LayoutTag*;          ///< cublasLtMatrixLayout_t
using Preference = struct PreferenceTag*;  ///< cublasLtMatmulPreference_t

/// cublasLtMatmulDescAttributes_t and cublasLtMatmulPreferenceAttributes_t.
inline constexpr int kTransposeA = 3, kTransposeB = 4, kScalePointerA = 17, kScalePointerB = 18, kFastSum = 25;
inline constexpr int kMaxWorkspaceBytes = 1;

/// cublasLtMatmulAlgo_t.
struct Algorithm {
    std::uint64_t data[8];
};

/// cublasLtMatmulHeuristicResult_t.
struct Proposal {
    Algorithm algorithm;
    std::size_t workspace;
    Status state;
    float waves;
    int reserved[4];
};
static_assert(sizeof(Proposal) == 96 && offsetof(Proposal, state) == 72);

#define WARPWRIGHT_CUBLASLT_ENTRY_POINTS(X)                                                                      \
    X(create, "cublasLtCreate", Status(Handle*))                                                                 \
    X(destroy, "cublasLtDestroy", Status(Handle))                                                                \
    X(version, "cublasLtGetVersion", std::size_t())                                                              \
    X(status_text, "cublasLtGetStatusString", const char*(Status))                                               \
    X(operation_create, "cublasLtMatmulDescCreate", Status(Operation*, ComputeType, DataType))                   \
    X(operation_destroy, "cublasLtMatmulDescDestroy", Status(Operation))                                         \
    X(operation_set, "cublasLtMatmulDescSetAttribute", Status(Operation, int, const void*, std::size_t))         \
    X(layout_create, "cublasLtMatrixLayoutCreate",                                                               \
      Status(Layout*, DataType, std::uint64_t, std::uint64_t, std::int64_t))                                     \
    X(layout_destroy, "cublasLtMatrixLayoutDestroy", Status(Layout))                                             \
    X(preference_create, "cublasLtMatmulPreferenceCreate", Status(Preference*))                                  \
    X(preference_destroy, "cublasLtMatmulPreferenceDestroy", Status(Preference))                                 \
    X(preference_set, "cublasLtMatmulPreferenceSetAttribute", Status(Preference, int, const void*, std::size_t)) \
    X(propose, "cublasLtMatmulAlgoGetHeuristic",                                                                 \
      Status(Handle, Operation, Layout, Layout, Layout, Layout, Preference, int, Proposal*, int*))               \
    X(multiply, "cublasLtMatmul",                                                                                \
      Status(Handle, Operation, const void*, const void*, Layout, const void*, Layout, const void*, const void*, \
             Layout, void*, Layout, const Algorithm*, void*, std::size_t, void*))

struct CublasLtFunctions {
#define WARPWRIGHT_CUBLASLT_MEMBER(member, symbol, ...) EntryPoint<__VA_ARGS__> member = nullptr;
    WARPWRIGHT_CUBLASLT_ENTRY_POINTS(WARPWRIGHT_CUBLASLT_MEMBER)
#undef WARPWRIGHT_CUBLASLT_MEMBER
};

}  // namespace warpwright::vendor::cublaslt
