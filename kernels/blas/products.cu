// BLAS levels 2 and 3: products of matrices that lie in any way (an element's row and column have a stride each), as the register tile of
// the matmul ladder (kernels/matmul/09_register_2d.cu) computes them, for several matrices at once; products with a vector; sums and
// scalings of matrices. C is stored by columns. Batches are matrices a fixed distance apart, or arrays of pointers.
#include "number.cuh"

#define THREADS 256
#define TILE_K 16

template <class T> static __device__ T* batch(T* base, long long distance, int arrays, int z) {
    return arrays ? reinterpret_cast<T* const*>(base)[z] : base + z * distance;
}

/// A thread has PER x PER sums, 16 rows and columns apart, so that neighbours store neighbours.
template <int PER, class T, class C, class A, class S>
static __device__ void gemm(int m, int n, int k, Scalar<S> alpha_, const T* a_, long long a_row, long long a_column, long long a_batch,
                            int a_conj, const T* b_, long long b_row, long long b_column, long long b_batch, int b_conj, Scalar<S> beta_,
                            C* c_, long long ldc, long long c_batch, int arrays, int batches) {
    constexpr int EDGE = 16 * PER;
    __shared__ A tile_a[TILE_K][EDGE + 1], tile_b[TILE_K][EDGE + 1];
    const int t = threadIdx.x, tx = t % 16, ty = t / 16, tiles_m = (m + EDGE - 1) / EDGE;
    const int row0 = blockIdx.x % tiles_m * EDGE, column0 = blockIdx.x / tiles_m * EDGE;
    const A alpha = load<A>(alpha_.get()), beta = load<A>(beta_.get());
    const int steps = alpha == A{} ? 0 : k;
    for (int z = blockIdx.z; z < batches; z += gridDim.z) {
        const T *a = batch(a_, a_batch, arrays, z), *b = batch(b_, b_batch, arrays, z);
        C* c = batch(c_, c_batch, arrays, z);
        A sum[PER][PER] = {};
        for (int k0 = 0; k0 < steps; k0 += TILE_K) {
            // Neighbouring threads take what lies side by side.
            for (int e = t; e < EDGE * TILE_K; e += THREADS) {
                const int i = a_row == 1 ? e % EDGE : e / TILE_K, l = a_row == 1 ? e / EDGE : e % TILE_K;
                A v{};
                if (row0 + i < m && k0 + l < k) v = load<A>(a[(row0 + i) * a_row + (k0 + l) * a_column]);
                tile_a[l][i] = a_conj ? conjugate(v) : v;
            }
            for (int e = t; e < EDGE * TILE_K; e += THREADS) {
                const int j = b_row == 1 ? e / TILE_K : e % EDGE, l = b_row == 1 ? e % TILE_K : e / EDGE;
                A v{};
                if (column0 + j < n && k0 + l < k) v = load<A>(b[(k0 + l) * b_row + (column0 + j) * b_column]);
                tile_b[l][j] = b_conj ? conjugate(v) : v;
            }
            __syncthreads();
#pragma unroll 4
            for (int l = 0; l < TILE_K; ++l) {
                A x[PER], y[PER];
#pragma unroll
                for (int i = 0; i < PER; ++i) x[i] = tile_a[l][tx + 16 * i], y[i] = tile_b[l][ty + 16 * i];
#pragma unroll
                for (int i = 0; i < PER; ++i)
#pragma unroll
                    for (int j = 0; j < PER; ++j) sum[i][j] = x[i] * y[j] + sum[i][j];
            }
            __syncthreads();
        }
#pragma unroll
        for (int j = 0; j < PER; ++j)
#pragma unroll
            for (int i = 0; i < PER; ++i) {
                const int row = row0 + tx + 16 * i, column = column0 + ty + 16 * j;
                if (row >= m || column >= n) continue;
                C* to = c + row + column * ldc;
                A v = steps ? alpha * sum[i][j] : A{};
                if (!(beta == A{})) v = beta * load<A>(*to) + v;
                store(*to, v);
            }
    }
}

#define WW_GEMM(name, PER, T, C, A, S)                                                                                              \
    extern "C" __global__ void __launch_bounds__(THREADS)                                                                           \
        blas_gemm_##name(int m, int n, int k, Scalar<S> alpha, const T* a, long long a_row, long long a_column, long long a_batch,  \
                         int a_conj, const T* b, long long b_row, long long b_column, long long b_batch, int b_conj, Scalar<S> beta, \
                         C* c, long long ldc, long long c_batch, int arrays, int batches) {                                         \
        gemm<PER, T, C, A, S>(m, n, k, alpha, a, a_row, a_column, a_batch, a_conj, b, b_row, b_column, b_batch, b_conj, beta, c,    \
                              ldc, c_batch, arrays, batches);                                                                       \
    }
WW_GEMM(f32, 4, float, float, float, float)
WW_GEMM(f64, 4, double, double, double, double)
WW_GEMM(c32, 2, complex32, complex32, complex32, complex32)
WW_GEMM(c64, 2, complex64, complex64, complex64, complex64)
WW_GEMM(f16, 4, float16, float16, float, float)
WW_GEMM(f16_scale, 4, float16, float16, float, float16)  // its scalars are halves
WW_GEMM(f16_f32, 4, float16, float, float, float)
WW_GEMM(bf16, 4, bfloat16, bfloat16, float, float)
WW_GEMM(bf16_f32, 4, bfloat16, float, float, float)
WW_GEMM(i8_i32, 4, int8, int, int, int)
WW_GEMM(i8_f32, 4, int8, float, float, float)

/// y = alpha A x + beta y, for A with the strides of op(A). `across`: a warp adds up along a row, where its elements lie side by side; else a
/// thread has a row.
template <class T>
static __device__ void gemv(int m, int n, Scalar<T> alpha_, const T* a_, long long row, long long column, long long a_batch, int conj,
                            const T* x_, long long incx, long long x_batch, Scalar<T> beta_, T* y_, long long incy, long long y_batch,
                            int across, int arrays, int batches) {
    const T alpha = alpha_.get(), beta = beta_.get();
    const int width = across ? 32 : 1, part = threadIdx.x % width;
    const long long i = (blockIdx.x * (long long)THREADS + threadIdx.x) / width;
    __shared__ T sums[THREADS];
    for (int z = blockIdx.z; z < batches; z += gridDim.z) {
        const T *a = batch(a_, a_batch, arrays, z), *x = batch(x_, x_batch, arrays, z);
        T* y = batch(y_, y_batch, arrays, z);
        T sum{};
        if (i < m && !(alpha == T{}))
            for (int j = part; j < n; j += width) {
                const T v = a[i * row + j * column];
                sum = (conj ? conjugate(v) : v) * x[j * incx] + sum;
            }
        if (across) {
            sums[threadIdx.x] = sum;
            __syncthreads();
            for (int s = 16; s > 0; s /= 2) {
                if (part < s) sums[threadIdx.x] = sums[threadIdx.x] + sums[threadIdx.x + s];
                __syncthreads();
            }
            sum = sums[threadIdx.x];
            __syncthreads();
        }
        if (i < m && part == 0) y[i * incy] = beta == T{} ? alpha * sum : beta * y[i * incy] + alpha * sum;
    }
}

template <class T>
static __device__ void ger(int m, int n, Scalar<T> alpha, const T* x, long long incx, const T* y, long long incy, int conj, T* a,
                           long long lda) {
    const T s = alpha.get();
    for (long long e = blockIdx.x * (long long)THREADS + threadIdx.x; e < (long long)m * n; e += (long long)gridDim.x * THREADS) {
        const long long i = e % m, j = e / m;
        const T v = y[j * incy];
        a[i + j * lda] = s * (x[i * incx] * (conj ? conjugate(v) : v)) + a[i + j * lda];
    }
}

template <class T>
static __device__ void geam(int m, int n, Scalar<T> alpha_, const T* a, long long a_row, long long a_column, int a_conj, Scalar<T> beta_,
                            const T* b, long long b_row, long long b_column, int b_conj, T* c, long long ldc) {
    const T alpha = alpha_.get(), beta = beta_.get();
    for (long long e = blockIdx.x * (long long)THREADS + threadIdx.x; e < (long long)m * n; e += (long long)gridDim.x * THREADS) {
        const long long i = e % m, j = e / m;
        T sum{};
        if (!(alpha == T{})) {
            const T v = a[i * a_row + j * a_column];
            sum = alpha * (a_conj ? conjugate(v) : v);
        }
        if (!(beta == T{})) {
            const T v = b[i * b_row + j * b_column];
            sum = beta * (b_conj ? conjugate(v) : v) + sum;
        }
        c[i + j * ldc] = sum;
    }
}

template <class T>
static __device__ void dgmm(int left, int m, int n, const T* a, long long lda, const T* x, long long incx, T* c, long long ldc) {
    for (long long e = blockIdx.x * (long long)THREADS + threadIdx.x; e < (long long)m * n; e += (long long)gridDim.x * THREADS) {
        const long long i = e % m, j = e / m;
        c[i + j * ldc] = x[(left ? i : j) * incx] * a[i + j * lda];
    }
}

#define WW_KERNEL extern "C" __global__ void __launch_bounds__(THREADS)
#define WW_PRODUCTS(name, T)                                                                                                               \
    WW_KERNEL blas_gemv_##name(int m, int n, Scalar<T> alpha, const T* a, long long row, long long column, long long a_batch, int conj,    \
                               const T* x, long long incx, long long x_batch, Scalar<T> beta, T* y, long long incy, long long y_batch,     \
                               int across, int arrays, int batches) {                                                                      \
        gemv(m, n, alpha, a, row, column, a_batch, conj, x, incx, x_batch, beta, y, incy, y_batch, across, arrays, batches);               \
    }                                                                                                                                      \
    WW_KERNEL blas_ger_##name(int m, int n, Scalar<T> alpha, const T* x, long long incx, const T* y, long long incy, int conj, T* a,       \
                              long long lda) {                                                                                             \
        ger(m, n, alpha, x, incx, y, incy, conj, a, lda);                                                                                  \
    }                                                                                                                                      \
    WW_KERNEL blas_geam_##name(int m, int n, Scalar<T> alpha, const T* a, long long a_row, long long a_column, int a_conj, Scalar<T> beta, \
                               const T* b, long long b_row, long long b_column, int b_conj, T* c, long long ldc) {                         \
        geam(m, n, alpha, a, a_row, a_column, a_conj, beta, b, b_row, b_column, b_conj, c, ldc);                                           \
    }                                                                                                                                      \
    WW_KERNEL blas_dgmm_##name(int left, int m, int n, const T* a, long long lda, const T* x, long long incx, T* c, long long ldc) {       \
        dgmm(left, m, n, a, lda, x, incx, c, ldc);                                                                                         \
    }
WW_FOR_EACH_NUMBER(WW_PRODUCTS)
