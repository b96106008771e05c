// Numbers by their type's number (cudaDataType): a kernel takes matrices of any, and computes in one.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <library_types.h>

#include "product.cuh"

namespace ww_lt {

template <class R>
struct Complex {
    R x, y;
};
template <class R>
__device__ Complex<R> operator+(Complex<R> a, Complex<R> b) {
    return {a.x + b.x, a.y + b.y};
}
template <class R>
__device__ Complex<R> operator*(Complex<R> a, Complex<R> b) {
    return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
}

template <class T>
struct Is {
    static constexpr bool complex = false;
    using Real = T;
    static __device__ T of(double x, double) { return (T)x; }
};
template <class R>
struct Is<Complex<R>> {
    static constexpr bool complex = true;
    using Real = R;
    static __device__ Complex<R> of(double x, double y) { return {(R)x, (R)y}; }
};

/// Element k of the types that a bias, a factor or an activation's input may have. Each use is code: these are fewer
/// than a matrix has.
template <class T>
__device__ T plain_real(const void* p, i64 k, int type) {
    switch (type) {
        case CUDA_R_16F:
            return (T)__half2float(((const __half*)p)[k]);
        case CUDA_R_16BF:
            return (T)__bfloat162float(((const __nv_bfloat16*)p)[k]);
        case CUDA_R_64F:
            return (T)((const double*)p)[k];
        case CUDA_R_32I:
            return (T)((const int*)p)[k];
        default:
            return (T)((const float*)p)[k];
    }
}
template <class T>
__device__ T matrix_real(const void* p, i64 k, int type) {
    switch (type) {
        case CUDA_R_8I:
            return (T)((const signed char*)p)[k];
        case CUDA_R_8F_E4M3:
            return (T)(float)((const __nv_fp8_e4m3*)p)[k];
        case CUDA_R_8F_E5M2:
            return (T)(float)((const __nv_fp8_e5m2*)p)[k];
        default:
            return plain_real<T>(p, k, type);
    }
}

/// Element k, in the arithmetic of T.
template <class T, bool plain = false>
__device__ T load(const void* p, i64 k, int type) {
    if constexpr (Is<T>::complex) {
        using R = typename Is<T>::Real;
        if (type == CUDA_C_32F) return {(R)((const float*)p)[2 * k], (R)((const float*)p)[2 * k + 1]};
        return {(R)((const double*)p)[2 * k], (R)((const double*)p)[2 * k + 1]};
    } else if constexpr (plain) {
        return plain_real<T>(p, k, type);
    } else {
        return matrix_real<T>(p, k, type);
    }
}

/// An integer of `type` nearest to x, within its bounds.
__device__ inline int saturated(float x, float low, float high) {
    return x != x ? 0 : (int)rintf(fminf(fmaxf(x, low), high));
}

template <class T>
__device__ void store_real(void* p, i64 k, int type, T x) {
    switch (type) {
        case CUDA_R_16F:
            ((__half*)p)[k] = __float2half_rn((float)x);
            break;
        case CUDA_R_16BF:
            ((__nv_bfloat16*)p)[k] = __float2bfloat16_rn((float)x);
            break;
        case CUDA_R_64F:
            ((double*)p)[k] = (double)x;
            break;
        case CUDA_R_8I:
            ((signed char*)p)[k] = (signed char)saturated((float)x, -128.0f, 127.0f);
            break;
        case CUDA_R_32I:
            ((int*)p)[k] = sizeof(T) == 4 && (T)0.5 == (T)0 ? (int)x : (int)llrint((double)x);
            break;
        case CUDA_R_8F_E4M3:
            ((__nv_fp8_e4m3*)p)[k] = __nv_fp8_e4m3((float)x);
            break;
        case CUDA_R_8F_E5M2:
            ((__nv_fp8_e5m2*)p)[k] = __nv_fp8_e5m2((float)x);
            break;
        default:
            ((float*)p)[k] = (float)x;
    }
}
template <class T>
__device__ void store(void* p, i64 k, int type, T x) {
    if constexpr (Is<T>::complex) {
        if (type == CUDA_C_32F) {
            ((float*)p)[2 * k] = (float)x.x;
            ((float*)p)[2 * k + 1] = (float)x.y;
        } else {
            ((double*)p)[2 * k] = (double)x.x;
            ((double*)p)[2 * k + 1] = (double)x.y;
        }
    } else {
        store_real(p, k, type, x);
    }
}

template <class T>
__device__ T conjugate_if(bool wanted, T x) {
    if constexpr (Is<T>::complex)
        return {x.x, wanted ? -x.y : x.y};
    else
        return x;
}

template <class T>
__device__ T factor(const Factor& f, i64 row, i64 z) {
    if (!f.at) return Is<T>::of(f.value[0], f.value[1]);
    return load<T, true>(f.at, f.per_row ? row + z * f.apart : 0, f.type);
}

template <class T>
__device__ T element(const Matrix& m, i64 row, i64 column, i64 z) {
    const i64 at = row * m.rows_apart + column * m.columns_apart + z * m.batch_apart;
    return conjugate_if(m.conjugate, load<T>(m.at, at, m.type));
}

}  // namespace ww_lt
