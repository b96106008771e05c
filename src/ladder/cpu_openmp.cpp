// The same problems with the loops in cache order, vectorised, over all cores.
#include <omp.h>

#include <algorithm>

#include "ladder/cpu.hpp"
#include "support/clones.hpp"

namespace warpwright::ladder {
namespace {

int thread_count(unsigned threads) { return threads == 0 ? omp_get_num_procs() : static_cast<int>(threads); }

constexpr std::int64_t kRows = 4, kDepth = 256;

/// Rows [i0, i1) of C, at most kRows of them: the sums of a row stay in cache while rows of B are read.
template <class T>
__attribute__((always_inline)) inline void rows_of(const T* a, const T* b, T* c, std::int64_t i0, std::int64_t i1,
                                                   std::int64_t n, std::int64_t k) {
    for (std::int64_t i = i0; i < i1; ++i) std::fill(c + i * n, c + (i + 1) * n, T(0));
    for (std::int64_t l0 = 0; l0 < k; l0 += kDepth)
        if (i1 - i0 == kRows) {
            T *c0 = c + i0 * n, *c1 = c0 + n, *c2 = c1 + n, *c3 = c2 + n;
            const T* x = a + i0 * k;
            for (std::int64_t l = l0; l < std::min(k, l0 + kDepth); ++l) {
                const T* from = b + l * n;
                T x0 = x[l], x1 = x[k + l], x2 = x[2 * k + l], x3 = x[3 * k + l];
#pragma omp simd
                for (std::int64_t j = 0; j < n; ++j) {
                    c0[j] += x0 * from[j];
                    c1[j] += x1 * from[j];
                    c2[j] += x2 * from[j];
                    c3[j] += x3 * from[j];
                }
            }
        } else {
            for (std::int64_t i = i0; i < i1; ++i)
                for (std::int64_t l = l0; l < std::min(k, l0 + kDepth); ++l) {
                    T x = a[i * k + l];
#pragma omp simd
                    for (std::int64_t j = 0; j < n; ++j) c[i * n + j] += x * b[l * n + j];
                }
        }
}

// The cloned functions hold the loops and no OpenMP region, because an outlined region would not be cloned with them.
WARPWRIGHT_CLONES
void some_rows(const float* a, const float* b, float* c, std::int64_t i0, std::int64_t i1, std::int64_t n,
               std::int64_t k) {
    rows_of(a, b, c, i0, i1, n, k);
}
WARPWRIGHT_CLONES
void some_rows(const double* a, const double* b, double* c, std::int64_t i0, std::int64_t i1, std::int64_t n,
               std::int64_t k) {
    rows_of(a, b, c, i0, i1, n, k);
}

/// A rows x columns matrix from a transposed one, in squares that stay in the cache.
template <class T>
std::vector<T> turned(const T* from, std::int64_t rows, std::int64_t columns, unsigned threads) {
    constexpr std::int64_t kSquare = 32;
    std::vector<T> out(static_cast<std::size_t>(rows * columns));
#pragma omp parallel for schedule(static) num_threads(thread_count(threads))
    for (std::int64_t i0 = 0; i0 < rows; i0 += kSquare)
        for (std::int64_t j0 = 0; j0 < columns; j0 += kSquare)
            for (std::int64_t i = i0; i < std::min(rows, i0 + kSquare); ++i)
                for (std::int64_t j = j0; j < std::min(columns, j0 + kSquare); ++j)
                    out[static_cast<std::size_t>(i * columns + j)] = from[j * rows + i];
    return out;
}

template <class T>
void product(const T* a, const T* b, T* c, std::int64_t m, std::int64_t n, std::int64_t k, Layout layout,
             unsigned threads) {
    std::vector<T> turned_a, turned_b;  // transposing costs little compared with the product, and is timed with it
    if (layout.a_transposed) a = (turned_a = turned(a, m, k, threads)).data();
    if (layout.b_transposed) b = (turned_b = turned(b, k, n, threads)).data();
#pragma omp parallel for schedule(static) num_threads(thread_count(threads))
    for (std::int64_t i = 0; i < m; i += kRows) some_rows(a, b, c, i, std::min(m, i + kRows), n, k);
}

template <class T>
__attribute__((always_inline)) inline T simd_sum(const T* in, std::int64_t n) {
    T sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::int64_t i = 0; i < n; ++i) sum += in[i];
    return sum;
}

WARPWRIGHT_CLONES
std::uint32_t piece(const std::uint32_t* in, std::int64_t n) { return simd_sum(in, n); }
WARPWRIGHT_CLONES
std::uint64_t piece(const std::uint64_t* in, std::int64_t n) { return simd_sum(in, n); }
WARPWRIGHT_CLONES
float piece(const float* in, std::int64_t n) { return simd_sum(in, n); }
WARPWRIGHT_CLONES
double piece(const double* in, std::int64_t n) { return simd_sum(in, n); }

template <class T>
T parallel_sum(const T* in, std::int64_t n, unsigned threads) {
    constexpr std::int64_t kPiece = 1 << 14;
    T sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum) num_threads(thread_count(threads))
    for (std::int64_t begin = 0; begin < n; begin += kPiece) sum += piece(in + begin, std::min(kPiece, n - begin));
    return sum;
}

}  // namespace

void matmul_openmp(const float* a, const float* b, float* c, std::int64_t m, std::int64_t n, std::int64_t k,
                   Layout layout, unsigned threads) {
    product(a, b, c, m, n, k, layout, threads);
}
void matmul_openmp(const double* a, const double* b, double* c, std::int64_t m, std::int64_t n, std::int64_t k,
                   Layout layout, unsigned threads) {
    product(a, b, c, m, n, k, layout, threads);
}

std::int32_t sum_openmp(const std::int32_t* in, std::int64_t n, unsigned threads) {
    return static_cast<std::int32_t>(parallel_sum(reinterpret_cast<const std::uint32_t*>(in), n, threads));
}
std::int64_t sum_openmp(const std::int64_t* in, std::int64_t n, unsigned threads) {
    return static_cast<std::int64_t>(parallel_sum(reinterpret_cast<const std::uint64_t*>(in), n, threads));
}
float sum_openmp(const float* in, std::int64_t n, unsigned threads) { return parallel_sum(in, n, threads); }
double sum_openmp(const double* in, std::int64_t n, unsigned threads) { return parallel_sum(in, n, threads); }

}  // namespace warpwright::ladder
