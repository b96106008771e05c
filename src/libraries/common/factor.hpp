// A factor of a product as the kernels take it (kernels/lt/product.cuh).
#pragma once

#include <library_types.h>

#include <cstdint>

#include "lt/product.cuh"
#include "support/half.hpp"

namespace warpwright::libraries {

/// One part of a number in host memory.
inline double real_at(const void* at, int type, int part) {
    switch (type) {
        case CUDA_R_16F:
            return half_value(*static_cast<const std::uint16_t*>(at));
        case CUDA_R_64F:
        case CUDA_C_64F:
            return static_cast<const double*>(at)[part];
        case CUDA_R_32I:
            return *static_cast<const int*>(at);
        default:
            return static_cast<double>(static_cast<const float*>(at)[part]);
    }
}

/// A factor of this type: in host memory, in device memory, or there one for each row.
inline ww_lt::Factor factor_of(const void* at, int type, bool on_device, bool per_row = false, std::int64_t apart = 0) {
    ww_lt::Factor f{};
    f.type = type;
    f.per_row = per_row;
    f.apart = apart;
    if (on_device) {
        f.at = at;
        return f;
    }
    f.value[0] = real_at(at, type, 0);
    f.value[1] = type == CUDA_C_32F || type == CUDA_C_64F ? real_at(at, type, 1) : 0;
    return f;
}

}  // namespace warpwright::libraries
