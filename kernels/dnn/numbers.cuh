// Elements by their types, and places by a walk.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "tensor.cuh"

namespace ww_dnn {

template <class A>
__device__ A load(const void* p, int type, i64 k) {
    // Doubles go with doubles alone.
    if (sizeof(A) == 8) return (A)((const double*)p)[k];
    switch (type) {
        case kHalf:
            return (A)__half2float(((const __half*)p)[k]);
        case kBfloat16:
            return (A)__bfloat162float(((const __nv_bfloat16*)p)[k]);
        default:
            return (A)((const float*)p)[k];
    }
}
template <class A>
__device__ void store(void* p, int type, i64 k, A x) {
    if (sizeof(A) == 8) {
        ((double*)p)[k] = (double)x;
        return;
    }
    switch (type) {
        case kHalf:
            ((__half*)p)[k] = __float2half_rn((float)x);
            break;
        case kBfloat16:
            ((__nv_bfloat16*)p)[k] = __float2bfloat16_rn((float)x);
            break;
        default:
            ((float*)p)[k] = (float)x;
    }
}
/// alpha * x + beta * what is there; that is not read where beta is 0.
template <class A>
__device__ void blend(void* p, int type, i64 k, A alpha, A x, A beta) {
    store<A>(p, type, k, beta == A(0) ? alpha * x : alpha * x + beta * load<A>(p, type, k));
}
template <class A>
__device__ A load(const Tensors& t, int which, i64 k) {
    return load<A>(t.at[which], t.type[which], k);
}

/// Adds the places of position `index` in the first TENSORS.
template <int TENSORS>
__device__ void place(const Walk& w, unsigned index, i64 (&at)[TENSORS]) {
#pragma unroll 1
    for (int d = w.dims - 1; d >= 0; --d) {
        unsigned here = index;
        if (d > 0) {
            const unsigned rest = index / w.size[d];
            here = index - rest * w.size[d];
            index = rest;
        }
#pragma unroll
        for (int t = 0; t < TENSORS; ++t) at[t] += here * w.apart[t][d];
    }
}

// The types' own functions.
__device__ inline float exponential(float x) { return expf(x); }
__device__ inline double exponential(double x) { return exp(x); }
__device__ inline float less_one(float x) { return expm1f(x); }
__device__ inline double less_one(double x) { return expm1(x); }
__device__ inline float logarithm(float x) { return logf(x); }
__device__ inline double logarithm(double x) { return log(x); }
__device__ inline float root(float x) { return sqrtf(x); }
__device__ inline double root(double x) { return sqrt(x); }
__device__ inline float tangent(float x) { return tanhf(x); }
__device__ inline double tangent(double x) { return tanh(x); }
template <class A>
__device__ A magnitude(A x) {
    return x < A(0) ? -x : x;
}
template <class A>
__device__ A sigmoid(A x) {
    return A(1) / (A(1) + exponential(-x));
}

enum Activation : int { kSigmoid, kRelu, kTanh, kClippedRelu, kElu, kIdentity, kSwish };

/// `keep_nan`: a NaN stays one where a comparison would lose it.
template <class A>
__device__ A activated(A x, int kind, A coefficient, int keep_nan) {
    switch (kind) {
        case kSigmoid:
            return sigmoid(x);
        case kRelu:
            return x > A(0) || (keep_nan && x != x) ? x : A(0);
        case kTanh:
            return tangent(x);
        case kClippedRelu:
            return keep_nan && x != x ? x : x > coefficient ? coefficient : x > A(0) ? x : A(0);
        case kElu:
            return x > A(0) || x != x ? x : coefficient * less_one(x);
        case kSwish:
            return x * sigmoid(coefficient * x);
        default:
            return x;
    }
}
template <class A>
__device__ A activation_gradient(A x, A y, A dy, int kind, A coefficient) {
    switch (kind) {
        case kSigmoid:
            return dy * y * (A(1) - y);
        case kRelu:
            return x > A(0) ? dy : A(0);
        case kTanh:
            return dy * (A(1) - y * y);
        case kClippedRelu:
            return x > A(0) && x <= coefficient ? dy : A(0);
        case kElu:
            return x > A(0) ? dy : dy * (y + coefficient);
        case kSwish: {
            const A s = sigmoid(coefficient * x);
            return dy * (s + coefficient * x * s * (A(1) - s));
        }
        default:
            return dy;
    }
}

}  // namespace ww_dnn
