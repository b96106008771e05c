// Types and sizes that are arguments of cuSOLVER's newer interface, as types and LAPACK's sizes.
#pragma once

#include <cstdint>
#include <limits>

#include "libraries/cusolver/functions.hpp"

namespace warpwright::libraries::solver_impl {

/// Calls `with` with a null pointer of the type, and one of its magnitudes'.
template <class With>
Status of_type(cudaDataType type, With with) {
    switch (type) {
        case CUDA_R_32F:
            return with(static_cast<float*>(nullptr), static_cast<float*>(nullptr));
        case CUDA_R_64F:
            return with(static_cast<double*>(nullptr), static_cast<double*>(nullptr));
        case CUDA_C_32F:
            return with(static_cast<cuComplex*>(nullptr), static_cast<float*>(nullptr));
        case CUDA_C_64F:
            return with(static_cast<cuDoubleComplex*>(nullptr), static_cast<double*>(nullptr));
        default:
            return CUSOLVER_STATUS_MATRIX_TYPE_NOT_SUPPORTED;
    }
}

/// Whether LAPACK's sizes of 32 bits can say them.
template <class... N>
bool small(N... sizes) {
    return ((sizes >= 0 && sizes <= std::numeric_limits<int>::max()) && ...);
}
inline int as_int(std::int64_t n) { return static_cast<int>(n); }

}  // namespace warpwright::libraries::solver_impl
