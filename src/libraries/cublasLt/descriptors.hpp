// What cublasLt's descriptors hold. A program has them by a handle of ours, or in its own memory (the functions
// ...Init).
#pragma once

#include <cublasLt.h>

#include <cstdint>
#include <memory>
#include <optional>

namespace warpwright::libraries::lt {

/// Each begins with a mark of its own, by which memory that was never initialised is told.
#define WW_LT_ATTRIBUTE(descriptor, name, number, type, member, first) type member = first;
struct Layout {
    std::uint64_t mark = 0x7777'4c74'0001;
#define WW_LT_OF_LAYOUT
#include "warpwright/cublaslt_attributes.inc"
#undef WW_LT_OF_LAYOUT
};
struct MatmulDesc {
    std::uint64_t mark = 0x7777'4c74'0002;
#define WW_LT_OF_DESC
#include "warpwright/cublaslt_attributes.inc"
#undef WW_LT_OF_DESC
};
struct TransformDesc {
    std::uint64_t mark = 0x7777'4c74'0003;
#define WW_LT_OF_TRANSFORM
#include "warpwright/cublaslt_attributes.inc"
#undef WW_LT_OF_TRANSFORM
};
struct Preference {
    std::uint64_t mark = 0x7777'4c74'0004;
#define WW_LT_OF_PREF
#include "warpwright/cublaslt_attributes.inc"
#undef WW_LT_OF_PREF
};
struct Algorithm {
    std::uint64_t mark = 0x7777'4c74'0005;
#define WW_LT_OF_CONFIG
#include "warpwright/cublaslt_attributes.inc"
#undef WW_LT_OF_CONFIG
};
#undef WW_LT_ATTRIBUTE

/// The descriptor behind a handle or in the program's memory; nothing where it is neither.
std::optional<Layout> read(cublasLtMatrixLayout_t layout);
std::optional<MatmulDesc> read(cublasLtMatmulDesc_t desc);
std::optional<TransformDesc> read(cublasLtMatrixTransformDesc_t desc);
std::optional<Preference> read(cublasLtMatmulPreference_t preference);
std::optional<Algorithm> read(const cublasLtMatmulAlgo_t* algo);
void write(cublasLtMatmulAlgo_t& algo, const Algorithm& value);

/// Whether a handle may be one of cublasLt's, or of cuBLAS', which serves as well.
bool is_context(cublasLtHandle_t handle);

}  // namespace warpwright::libraries::lt
