// Values of a line of elements, which a warp or a block has together.
#pragma once

#include "numbers.cuh"

namespace ww_dnn {

/// cudnnReduceTensorOp_t's numbers.
enum Kind : int { kSum, kProduct, kLeast, kMost, kMostMagnitude, kMean, kNormOne, kNormTwo, kProductNoZeros };

template <class A>
static __device__ A combined(A x, A y, int kind) {
    switch (kind) {
        case kProduct:
        case kProductNoZeros:
            return x * y;
        case kLeast:
            return y < x || y != y ? y : x;
        case kMost:
        case kMostMagnitude:
            return y > x || y != y ? y : x;
        default:
            return x + y;
    }
}
template <class A>
static __device__ A taken(A x, int kind) {
    switch (kind) {
        case kMostMagnitude:
        case kNormOne:
            return magnitude(x);
        case kNormTwo:
            return x * x;
        case kProductNoZeros:
            return x == A(0) ? A(1) : x;
        default:
            return x;
    }
}
template <class A>
static __device__ A first_of(int kind) {
    const A infinite = (A)__int_as_float(0x7f800000);
    return kind == kProduct || kind == kProductNoZeros ? A(1)
           : kind == kLeast                            ? infinite
           : kind == kMost                             ? -infinite
                                                       : A(0);
}

/// Of the WIDTH threads that share a line; each has the result.
template <int WIDTH, class A>
static __device__ A over_line(A x, int kind) {
    for (int step = 16; step > 0; step /= 2) x = combined(x, __shfl_xor_sync(0xffffffffu, x, step), kind);
    if (WIDTH == 32) return x;
    __shared__ A parts[kThreads / 32];
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = x;
    __syncthreads();
    x = parts[0];
    for (int w = 1; w < kThreads / 32; ++w) x = combined(x, parts[w], kind);
    __syncthreads();
    return x;
}

}  // namespace ww_dnn
