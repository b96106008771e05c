// The kernels of cublasLt: products with what is done to their results, changes of form, and sums of rows. The product
// is the register tile of the matmul ladder (kernels/matmul/09_register_2d.cu), as in kernels/blas/products.cu, with
// types that are read at run time.
#include "types.cuh"

using namespace ww_lt;

namespace {

constexpr int kDeep = 16;  ///< columns of A and rows of B that a block holds at once

/// The part of A or B that a block needs. Neighbouring threads take what lies side by side.
template <class T>
__device__ void load_tile(T (&tile)[kDeep][kTile + 1], const Matrix& m, int first, int size, int k0, int k, bool is_a,
                          int z) {
    const bool along_k = (is_a ? m.columns_apart : m.rows_apart) == 1;
#pragma unroll 1
    for (int e = threadIdx.x; e < kTile * kDeep; e += kThreads) {
        const int i = along_k ? e / kDeep : e % kTile, l = along_k ? e % kDeep : e / kTile;
        T v{};
        if (first + i < size && k0 + l < k)
            v = is_a ? element<T>(m, first + i, k0 + l, z) : element<T>(m, k0 + l, first + i, z);
        tile[l][i] = v;
    }
}

__device__ float gelu(float x) { return 0.5f * x * (1 + tanhf(0.79788456f * (x + 0.044715f * x * x * x))); }
__device__ float gelu_gradient(float x) {
    const float t = tanhf(0.79788456f * (x + 0.044715f * x * x * x));
    return 0.5f * (1 + t) + 0.5f * x * (1 - t * t) * 0.79788456f * (1 + 3 * 0.044715f * x * x);
}

/// Bits of relu's elements: of column-wise storage, 8 rows to a byte.
__device__ void set_bit(const Product& p, i64 row, i64 column, i64 z, bool bit) {
    const i64 at = z * p.aux_apart + column * p.aux_ld + row;
    unsigned* word = (unsigned*)p.aux + at / 32;
    const unsigned mask = 1u << at % 32;
    if (bit)
        atomicOr(word, mask);
    else
        atomicAnd(word, ~mask);
}
__device__ bool get_bit(const Product& p, i64 row, i64 column, i64 z) {
    const i64 at = z * p.aux_apart + column * p.aux_ld + row;
    return ((const unsigned char*)p.aux)[at / 8] >> at % 8 & 1;
}

/// Bias, activation and FP8's factors, in the order of cublasLt's documentation.
template <class T>
__device__ T finished(const Product& p, T v, i64 row, i64 column, i64 z) {
    if (p.bias) v = v + load<T, true>(p.bias, row + z * p.bias_apart, p.bias_type);
    if constexpr (!Is<T>::complex) {
        const i64 aux = z * p.aux_apart + column * p.aux_ld + row;
        if (p.activation == kRelu) {
            if (p.aux_written) set_bit(p, row, column, z, v > 0);
            v = v > 0 ? v : T{};
        }
        if (p.activation == kGelu) {
            if (p.aux_written) store<T>(p.aux, aux, p.aux_type, v);
            v = (T)gelu((float)v);
        }
        if (p.activation == kReluGradient && !get_bit(p, row, column, z)) v = T{};
        if (p.activation == kGeluGradient) v = v * (T)gelu_gradient(load<float, true>(p.aux, aux, p.aux_type));
        if (p.largest) atomicMax((int*)p.largest, __float_as_int(fabsf((float)v)));
        if (p.scale_d) v = v * (T)*p.scale_d;
    }
    return v;
}

template <class T, class Sum>
__device__ T scaled(const Product& p, Sum sum, i64 row, i64 column, i64 z) {
    T v;
    if constexpr (Is<T>::complex)
        v = sum;
    else
        v = (T)sum;
    v = factor<T>(p.alpha, row, z) * v;
    if constexpr (!Is<T>::complex) {
        if (p.scale_a) v = v * (T)p.scale_a[p.scale_a_per_row ? row : 0];
        if (p.scale_b) v = v * (T)p.scale_b[p.scale_b_per_column ? column : 0];
    }
    const T beta = factor<T>(p.beta, row, z);
    bool wanted;
    if constexpr (Is<T>::complex)
        wanted = beta.x != 0 || beta.y != 0;
    else
        wanted = beta != T{};
    if (!wanted) return v;
    T c = element<T>(p.c, row, column, z);
    if constexpr (!Is<T>::complex)
        if (p.scale_c) c = c * (T)*p.scale_c;
    return beta * c + v;
}

/// A thread has 4 x 4 sums, 16 rows and columns apart, so that neighbours store neighbours. `Sum` is what sums are kept
/// in, `T` what is done to them.
template <class Sum, class T>
__device__ void multiply(const Product& p) {
    __shared__ Sum tile_a[kDeep][kTile + 1], tile_b[kDeep][kTile + 1];
    const int tx = threadIdx.x % 16, ty = threadIdx.x / 16, tiles = (p.m + kTile - 1) / kTile;
    const int row0 = (int)(blockIdx.x % tiles) * kTile, column0 = (int)(blockIdx.x / tiles) * kTile;
    for (int z = blockIdx.z; z < p.batches; z += gridDim.z) {
        Sum sum[4][4] = {};
#pragma unroll 1
        for (int k0 = 0; k0 < p.k; k0 += kDeep) {
            load_tile(tile_a, p.a, row0, p.m, k0, p.k, true, z);
            load_tile(tile_b, p.b, column0, p.n, k0, p.k, false, z);
            __syncthreads();
#pragma unroll 4
            for (int l = 0; l < kDeep; ++l) {
                Sum x[4], y[4];
#pragma unroll
                for (int i = 0; i < 4; ++i) x[i] = tile_a[l][tx + 16 * i], y[i] = tile_b[l][ty + 16 * i];
#pragma unroll
                for (int i = 0; i < 4; ++i)
#pragma unroll
                    for (int j = 0; j < 4; ++j) sum[i][j] = x[i] * y[j] + sum[i][j];
            }
            __syncthreads();
        }
        // 16 columns at a time go through shared memory, so that what follows stands once in the code, whatever the
        // types.
#pragma unroll 1
        for (int part = 0; part < 4; ++part) {
#pragma unroll
            for (int j = 0; j < 4; ++j)
#pragma unroll
                for (int i = 0; i < 4; ++i)
                    if (j == part) tile_a[ty][tx + 16 * i] = sum[i][j];
            __syncthreads();
#pragma unroll 1
            for (int e = threadIdx.x; e < 16 * kTile; e += kThreads) {
                const i64 row = row0 + e % kTile, column = column0 + e / kTile + 16 * part;
                if (row >= p.m || column >= p.n) continue;
                const i64 at = row * p.d.rows_apart + column * p.d.columns_apart + z * p.d.batch_apart;
                const T v = finished<T>(p, scaled<T>(p, tile_a[e / kTile][e % kTile], row, column, z), row, column, z);
                store<T>(p.d.at, at, p.d.type, v);
            }
            __syncthreads();
        }
    }
}

template <class T>
__device__ void change(const Change& c) {
    const i64 all = c.rows * c.columns * c.batches;
#pragma unroll 1
    for (i64 e = blockIdx.x * (i64)kThreads + threadIdx.x; e < all; e += gridDim.x * (i64)kThreads) {
        const bool by_rows = c.c.columns_apart == 1;
        const i64 z = e / (c.rows * c.columns), in = e % (c.rows * c.columns);
        const i64 row = by_rows ? in / c.columns : in % c.rows, column = by_rows ? in % c.columns : in / c.rows;
        T v = factor<T>(c.alpha, row, z) * element<T>(c.a, row, column, z);
        if (c.b.at) v = v + factor<T>(c.beta, row, z) * element<T>(c.b, row, column, z);
        store<T>(c.c.at, row * c.c.rows_apart + column * c.c.columns_apart + z * c.c.batch_apart, c.c.type, v);
    }
}

}  // namespace

#define WW_PRODUCT(name, Sum, T)                                                                                  \
    extern "C" __global__ void __launch_bounds__(kThreads) lt_product_##name(const __grid_constant__ Product p) { \
        multiply<Sum, T>(p);                                                                                      \
    }
WW_PRODUCT(f32, float, float)
WW_PRODUCT(f64, double, double)
WW_PRODUCT(i32, int, int)
WW_PRODUCT(i32_f32, int, float)
WW_PRODUCT(c32, Complex<float>, Complex<float>)
WW_PRODUCT(c64, Complex<double>, Complex<double>)

#define WW_CHANGE(name, T)                                                                                      \
    extern "C" __global__ void __launch_bounds__(kThreads) lt_change_##name(const __grid_constant__ Change c) { \
        change<T>(c);                                                                                           \
    }
WW_CHANGE(f32, float)
WW_CHANGE(f64, double)
WW_CHANGE(i32, int)
WW_CHANGE(c32, Complex<float>)
WW_CHANGE(c64, Complex<double>)

/// A thread has a row.
extern "C" __global__ void __launch_bounds__(kThreads) lt_row_sums(const __grid_constant__ RowSums s) {
    for (int z = blockIdx.z; z < s.batches; z += gridDim.z)
        for (i64 row = blockIdx.x * (i64)kThreads + threadIdx.x; row < s.rows; row += gridDim.x * (i64)kThreads) {
            float sum = 0;
#pragma unroll 1
            for (i64 column = 0; column < s.columns; ++column) sum += element<float>(s.in, row, column, z);
            store<float>(s.out, row + z * s.out_apart, s.out_type, sum);
        }
}
