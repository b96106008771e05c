// Numbers of the sparse kernels: those of kernels/lt, divided and added by atomics; and whole numbers of two widths.
#pragma once

#include "../lt/types.cuh"
#include "sparse.cuh"

namespace ww_sparse {

using ww_lt::Complex;
using ww_lt::conjugate_if;
using ww_lt::Is;

/// Element k in the arithmetic of T, of the types that go with it: of float the halves and bytes too, of others what is
/// half as wide.
template <class T>
__device__ T load_as(const void* p, i64 k, int type) {
    return ((const T*)p)[k];
}
template <>
__device__ inline float load_as<float>(const void* p, i64 k, int type) {
    if (type == CUDA_R_32F) return ((const float*)p)[k];
    if (type == CUDA_R_8I) return ((const signed char*)p)[k];
    const unsigned short half = ((const unsigned short*)p)[k];
    return type == CUDA_R_16F ? __half2float(__ushort_as_half(half)) : __bfloat162float(__ushort_as_bfloat16(half));
}
template <>
__device__ inline double load_as<double>(const void* p, i64 k, int type) {
    return type == CUDA_R_64F ? ((const double*)p)[k] : ((const float*)p)[k];
}
template <>
__device__ inline Complex<double> load_as<Complex<double>>(const void* p, i64 k, int type) {
    if (type == CUDA_C_64F) return ((const Complex<double>*)p)[k];
    const auto z = ((const Complex<float>*)p)[k];
    return {z.x, z.y};
}
template <>
__device__ inline int load_as<int>(const void* p, i64 k, int type) {
    return type == CUDA_R_32I ? ((const int*)p)[k] : ((const signed char*)p)[k];
}
template <class T>
__device__ void store_as(void* p, i64 k, int type, T x) {
    ((T*)p)[k] = x;
}
template <>
__device__ inline void store_as<float>(void* p, i64 k, int type, float x) {
    if (type == CUDA_R_32F)
        ((float*)p)[k] = x;
    else
        ((unsigned short*)p)[k] =
            type == CUDA_R_16F ? __half_as_ushort(__float2half_rn(x)) : __bfloat16_as_ushort(__float2bfloat16_rn(x));
}
template <>
__device__ inline void store_as<double>(void* p, i64 k, int type, double x) {
    if (type == CUDA_R_64F)
        ((double*)p)[k] = x;
    else
        ((float*)p)[k] = (float)x;
}
template <>
__device__ inline void store_as<Complex<double>>(void* p, i64 k, int type, Complex<double> z) {
    if (type == CUDA_C_64F)
        ((Complex<double>*)p)[k] = z;
    else
        ((Complex<float>*)p)[k] = {(float)z.x, (float)z.y};
}

/// A factor, which is of the type of the arithmetic.
template <class T>
__device__ T factor(const ww_lt::Factor& f) {
    return f.at ? *(const T*)f.at : Is<T>::of(f.value[0], f.value[1]);
}
template <class T>
__device__ T element_of(const ww_lt::Matrix& m, i64 row, i64 column, i64 z = 0) {
    return conjugate_if(m.conjugate,
                        load_as<T>(m.at, row * m.rows_apart + column * m.columns_apart + z * m.batch_apart, m.type));
}

__device__ inline i64 number(const Indices& n, i64 k) {
    return (n.wide ? ((const i64*)n.at)[k] : (i64)((const int*)n.at)[k]) - n.base;
}
__device__ inline void put(const Indices& n, i64 k, i64 value) {
    if (n.wide)
        ((i64*)n.at)[k] = value + n.base;
    else
        ((int*)n.at)[k] = (int)(value + n.base);
}

/// How many of the `count` sorted numbers are less than `value`.
__device__ inline i64 below(const Indices& n, i64 count, i64 value) {
    i64 low = 0;
    while (count > 0) {
        const i64 half = count / 2;
        if (number(n, low + half) < value)
            low += half + 1, count -= half + 1;
        else
            count = half;
    }
    return low;
}
__device__ inline i64 line_of(const Matrix& m, i64 entry) {
    return m.compressed ? below(m.starts, m.lines + 1, entry + 1) - 1 : number(m.starts, entry);
}

/// The matrix of a batch.
__device__ inline Matrix of_batch(Matrix m, i64 z) {
    const i64 starts = (m.compressed ? m.starts_apart : m.entries_apart) * (m.starts.wide ? 8 : 4);
    m.starts.at = (char*)m.starts.at + z * starts;
    m.places.at = (char*)m.places.at + z * m.entries_apart * (m.places.wide ? 8 : 4);
    return m;
}
template <class T>
__device__ T value(const Matrix& m, i64 entry, i64 z = 0) {
    return conjugate_if(m.conjugate, load_as<T>(m.values, entry + z * m.entries_apart, m.type));
}

template <class R>
__device__ Complex<R> operator-(Complex<R> a, Complex<R> b) {
    return {a.x - b.x, a.y - b.y};
}
template <class R>
__device__ Complex<R> operator/(Complex<R> a, Complex<R> b) {
    // Scaled by the larger part, whose square may not be a number of the type any more (Smith 1962).
    if (b.x < 0 ? b.y < b.x || b.y > -b.x : b.y > b.x || b.y < -b.x) {
        const R ratio = b.x / b.y, whole = b.x * ratio + b.y;
        return {(a.x * ratio + a.y) / whole, (a.y * ratio - a.x) / whole};
    }
    const R ratio = b.y / b.x, whole = b.x + b.y * ratio;
    return {(a.x + a.y * ratio) / whole, (a.y - a.x * ratio) / whole};
}
template <class T>
__device__ bool is_zero(T x) {
    if constexpr (Is<T>::complex)
        return x.x == 0 && x.y == 0;
    else
        return x == 0;
}
/// By the parts of a complex number: its use is to compare.
template <class T>
__device__ double size(T x) {
    if constexpr (Is<T>::complex)
        return fabs((double)x.x) + fabs((double)x.y);
    else
        return fabs((double)x);
}

template <class T>
__device__ void add(T* to, T x) {
    if constexpr (Is<T>::complex) {
        atomicAdd(&to->x, x.x);
        atomicAdd(&to->y, x.y);
    } else {
        atomicAdd(to, x);
    }
}
template <class T>
__device__ T down(T x, int lanes) {
    if constexpr (Is<T>::complex)
        return {__shfl_down_sync(~0u, x.x, lanes), __shfl_down_sync(~0u, x.y, lanes)};
    else
        return __shfl_down_sync(~0u, x, lanes);
}
/// The sum of a warp's values, in its first lane.
template <class T>
__device__ T warp_sum(T x) {
    for (int lanes = 16; lanes > 0; lanes /= 2) x = x + down(x, lanes);
    return x;
}

/// alpha x + beta old, which is not read where beta is zero.
template <class T>
__device__ void combine(void* at, i64 k, int type, T alpha, T x, T beta) {
    T out = alpha * x;
    if (!is_zero(beta)) out = out + beta * load_as<T>(at, k, type);
    store_as(at, k, type, out);
}
__device__ inline i64 place(const ww_lt::Matrix& m, i64 row, i64 column, i64 z = 0) {
    return row * m.rows_apart + column * m.columns_apart + z * m.batch_apart;
}

__device__ inline i64 first_thread() { return (i64)blockIdx.x * kThreads + threadIdx.x; }
__device__ inline i64 all_threads() { return (i64)gridDim.x * kThreads; }
__device__ inline i64 first_warp() { return first_thread() / 32; }
__device__ inline i64 all_warps() { return all_threads() / 32; }

}  // namespace ww_sparse

#define WW_KERNEL extern "C" __global__ void __launch_bounds__(256)
#define WW_FOR_EACH_NUMBER(make) \
    make(f32, float) make(f64, double) make(c32, ww_lt::Complex<float>) make(c64, ww_lt::Complex<double>)
