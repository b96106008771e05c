// Convolutions over images. A convolution is a product of matrices, one of which is never stored: its elements are taken
// from the images as they are needed (Chellapilla, Puri and Simard 2006), and the product is computed in tiles as kernels/blas does.
#pragma once

#include "image.cuh"

using namespace ww_dnn;

constexpr int kDepth = 16, kColumns = 64;  ///< of a tile

// A convolution's elements have one type E, and A is that of its arithmetic.
template <class E>
struct ArithmeticOf {
    using type = float;
    static constexpr int number = sizeof(E) == 4 ? kFloat : kHalf;
};
template <>
struct ArithmeticOf<double> {
    using type = double;
    static constexpr int number = kDouble;
};
template <>
struct ArithmeticOf<__nv_bfloat16> {
    using type = float;
    static constexpr int number = kBfloat16;
};
/// Elements of several types, which are in the tensors.
struct Mixed;
template <>
struct ArithmeticOf<Mixed> {
    using type = float;
    static constexpr int number = -1;
};
template <class E>
static __device__ __forceinline__ int number_of(const Image& image) {
    return ArithmeticOf<E>::number < 0 ? image.type : ArithmeticOf<E>::number;
}
template <class E>
using Arithmetic = typename ArithmeticOf<E>::type;
template <class E>
static __device__ __forceinline__ Arithmetic<E> typed(const Image& image, i64 at) {
    return load<Arithmetic<E>>(image.at, number_of<E>(image), at);
}
/// The filter's place as the correlation has it.
static __device__ int tap(const Convolution& p, int which, int r) { return p.flipped ? p.w.size[2 + which] - 1 - r : r; }

/// An element of x that a place of y and one of the filter have in common; 0 outside the image.
template <class E>
static __device__ __forceinline__ Arithmetic<E> under(const Convolution& p, int channel, const Parts& y, const Parts& r) {
    const int d = y.d * p.stride[0] - p.pad[0] + tap(p, 0, r.d) * p.dilation[0];
    const int h = y.h * p.stride[1] - p.pad[1] + tap(p, 1, r.h) * p.dilation[1];
    const int w = y.w * p.stride[2] - p.pad[2] + tap(p, 2, r.w) * p.dilation[2];
    if ((unsigned)d >= (unsigned)p.x.size[2] || (unsigned)h >= (unsigned)p.x.size[3] || (unsigned)w >= (unsigned)p.x.size[4]) return 0;
    return typed<E>(p.x, offset(p.x, y.first, channel, d, h, w));
}
/// The place of y in one dimension of which a place of x has its part through the filter's; -1: none.
static __device__ int over(int x, int pad, int r, int dilation, int stride, int size) {
    const int at = x + pad - r * dilation;
    if (at < 0 || at % stride != 0) return -1;
    return at / stride < size ? at / stride : -1;
}

enum Pass { kForward, kData, kFilter };

/// The product's rows, columns and depth: of a group.
template <int PASS>
struct Sizes {
    unsigned rows, columns, depth;
    __device__ explicit Sizes(const Convolution& p) {
        const unsigned filters = p.w.size[0] / p.groups, taps = p.w.size[2] * p.w.size[3] * p.w.size[4];
        const unsigned places_y = p.y.size[0] * p.y.size[2] * p.y.size[3] * p.y.size[4];
        const unsigned places_x = p.x.size[0] * p.x.size[2] * p.x.size[3] * p.x.size[4];
        rows = PASS == kData ? p.w.size[1] : filters;
        columns = PASS == kForward ? places_y : PASS == kData ? places_x : p.w.size[1] * taps;
        depth = PASS == kForward ? p.w.size[1] * taps : PASS == kData ? filters * taps : places_y;
    }
};

/// Row i, depth l of the first factor.
template <int PASS, class E>
static __device__ __forceinline__ Arithmetic<E> left(const Convolution& p, int group, int i, unsigned l) {
    const int filters = p.w.size[0] / p.groups;
    if constexpr (PASS == kForward) {
        const i64 row = (group * filters + i) * p.w.apart[0];
        const Parts r = p.w_linear ? Parts{} : parts_of(l, p.w.size);
        return typed<E>(p.w, row + (p.w_linear ? (i64)l : offset(p.w, 0, r.first, r.d, r.h, r.w)));
    } else if constexpr (PASS == kData) {
        const Parts r = parts_of(l, p.w.size);
        return typed<E>(p.w, offset(p.w, group * filters + r.first, i, r.d, r.h, r.w));
    } else {
        const Parts y = parts_of(l, p.y.size);
        return typed<E>(p.y, offset(p.y, y.first, group * filters + i, y.d, y.h, y.w));
    }
}
/// Depth l, column j (taken apart) of the second factor.
template <int PASS, class E>
static __device__ __forceinline__ Arithmetic<E> right(const Convolution& p, int group, unsigned l, const Parts& j) {
    const int filters = p.w.size[0] / p.groups, channels = p.w.size[1];
    if constexpr (PASS == kForward) {
        const Parts r = parts_of(l, p.w.size);
        return under<E>(p, group * channels + r.first, j, r);
    } else if constexpr (PASS == kData) {
        const Parts r = parts_of(l, p.w.size);
        const int d = over(j.d, p.pad[0], tap(p, 0, r.d), p.dilation[0], p.stride[0], p.y.size[2]);
        const int h = over(j.h, p.pad[1], tap(p, 1, r.h), p.dilation[1], p.stride[1], p.y.size[3]);
        const int w = over(j.w, p.pad[2], tap(p, 2, r.w), p.dilation[2], p.stride[2], p.y.size[4]);
        if (d < 0 || h < 0 || w < 0) return 0;
        return typed<E>(p.y, offset(p.y, j.first, group * filters + r.first, d, h, w));
    } else {
        return under<E>(p, group * channels + j.first, parts_of(l, p.y.size), j);
    }
}

/// Stores the sum of row i and column j (taken apart).
template <int PASS, class E>
static __device__ __forceinline__ void finish(const Convolution& p, int group, int i, const Parts& j, Arithmetic<E> sum) {
    using A = Arithmetic<E>;
    const int filters = p.w.size[0] / p.groups, channel = group * (PASS == kData ? p.w.size[1] : filters) + i;
    const Image& to = PASS == kFilter ? p.w : PASS == kData ? p.x : p.y;
    const i64 at = PASS == kFilter ? offset(to, channel, j.first, j.d, j.h, j.w) : offset(to, j.first, channel, j.d, j.h, j.w);
    A x = (A)p.alpha * sum;
    // z is y itself where nothing else is added.
    if (p.beta != 0) x += (A)p.beta * (PASS == kForward ? typed<E>(p.z, offset(p.z, j.first, channel, j.d, j.h, j.w)) : typed<E>(to, at));
    if (PASS == kForward && p.bias) {
        x += load<A>(p.bias, p.bias_type, channel);
        if (p.activation == kRelu) x = x > A(0) || x != x ? x : A(0);
    }
    store<A>(to.at, number_of<E>(to), at, x);
}

/// PER rows of 16 threads' by 4 columns are one thread's.
template <int PASS, int PER, class E>
static __device__ __forceinline__ void convolve(const Convolution& p) {
    using A = Arithmetic<E>;
    constexpr int ROWS = 16 * PER;
    __shared__ A tile_a[kDepth][ROWS + 1], tile_b[kDepth][kColumns + 1];
    const Sizes<PASS> size(p);
    const unsigned t = threadIdx.x, tx = t % 16, ty = t / 16;
    const unsigned row0 = blockIdx.y * ROWS, column0 = blockIdx.x * kColumns;
    const int group = blockIdx.z;
    const int* const by = PASS == kForward ? p.y.size : PASS == kData ? p.x.size : p.w.size;
    const unsigned own = column0 + t % kColumns;
    const Parts own_parts = parts_of(own, by);
    A sum[PER][4] = {};
#pragma unroll 1
    for (unsigned l0 = 0; l0 < size.depth; l0 += kDepth) {
#pragma unroll 1
        for (unsigned e = t; e < ROWS * kDepth; e += kThreads) {
            const unsigned i = e / kDepth, l = e % kDepth;
            A v{};
            if (row0 + i < size.rows && l0 + l < size.depth) v = left<PASS, E>(p, group, row0 + i, l0 + l);
            tile_a[l][i] = v;
        }
#pragma unroll 1
        for (unsigned l = t / kColumns; l < kDepth; l += kThreads / kColumns) {
            A v{};
            if (own < size.columns && l0 + l < size.depth) v = right<PASS, E>(p, group, l0 + l, own_parts);
            tile_b[l][t % kColumns] = v;
        }
        __syncthreads();
#pragma unroll 4
        for (int l = 0; l < kDepth; ++l) {
            A x[PER], y[4];
#pragma unroll
            for (int i = 0; i < PER; ++i) x[i] = tile_a[l][ty + 16 * i];
#pragma unroll
            for (int j = 0; j < 4; ++j) y[j] = tile_b[l][tx + 16 * j];
#pragma unroll
            for (int i = 0; i < PER; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j) sum[i][j] += x[i] * y[j];
        }
        __syncthreads();
    }
#pragma unroll
    for (int j = 0; j < 4; ++j) {
        const unsigned column = column0 + tx + 16 * j;
        if (column >= size.columns) continue;
        const Parts at = parts_of(column, by);
#pragma unroll
        for (int i = 0; i < PER; ++i)
            if (row0 + ty + 16 * i < size.rows) finish<PASS, E>(p, group, row0 + ty + 16 * i, at, sum[i][j]);
    }
}

#define WW_CONVOLVE_PASS(name, PASS, suffix, E)                                                                                      \
    extern "C" __global__ void __launch_bounds__(kThreads) dnn_##name##_few_##suffix(Convolution p) { convolve<PASS, 1, E>(p); }      \
    extern "C" __global__ void __launch_bounds__(kThreads) dnn_##name##_many_##suffix(Convolution p) { convolve<PASS, 4, E>(p); }
#define WW_CONVOLVE(suffix, E)                                 \
    WW_CONVOLVE_PASS(convolution, kForward, suffix, E)         \
    WW_CONVOLVE_PASS(convolution_data, kData, suffix, E)       \
    WW_CONVOLVE_PASS(convolution_filter, kFilter, suffix, E)
