// Products of sparse matrices with dense ones, sampled products and triangular systems. Blocks have 256 threads, and
// loop where there is more work than a grid has. Loops over entries stay loops: lines are short.
#include "number.cuh"

namespace ww_sparse {

/// A warp for each row of C, which has one column: lanes take its entries in turn.
template <class T>
__device__ void rows_vector(const Product& p) {
    const T alpha = factor<T>(p.alpha), beta = factor<T>(p.beta);
    const i64 z = blockIdx.z;
    const Matrix a = of_batch(p.a, z);
    for (i64 row = first_warp(); row < p.rows; row += all_warps()) {
        const i64 end = number(a.starts, row + 1);
        T sum = Is<T>::of(0, 0);
#pragma unroll 1
        for (i64 e = number(a.starts, row) + threadIdx.x % 32; e < end; e += 32)
            sum = sum + value<T>(a, e, z) * element_of<T>(p.b, number(a.places, e), 0, z);
        sum = warp_sum(sum);
        if (threadIdx.x % 32 == 0) combine(p.c.at, place(p.c, row, 0, z), p.c.type, alpha, sum, beta);
    }
}

/// A thread for each element of C.
template <class T>
__device__ void rows(const Product& p) {
    const T alpha = factor<T>(p.alpha), beta = factor<T>(p.beta);
    const i64 z = blockIdx.z;
    const Matrix a = of_batch(p.a, z);
    for (i64 k = first_thread(); k < p.rows * p.columns; k += all_threads()) {
        const i64 row = k / p.columns, column = k % p.columns, end = number(a.starts, row + 1);
        T sum = Is<T>::of(0, 0);
#pragma unroll 1
        for (i64 e = number(a.starts, row); e < end; ++e)
            sum = sum + value<T>(a, e, z) * element_of<T>(p.b, number(a.places, e), column, z);
        combine(p.c.at, place(p.c, row, column, z), p.c.type, alpha, sum, beta);
    }
}

/// A thread for each entry and column adds to sums, which begin as zero.
template <class T>
__device__ void entries(const Product& p) {
    const i64 z = blockIdx.z;
    const Matrix a = of_batch(p.a, z);
    T* sums = (T*)p.sums + z * p.rows * p.columns;
    for (i64 k = first_thread(); k < a.entries * p.columns; k += all_threads()) {
        const i64 e = k / p.columns, column = k % p.columns, line = line_of(a, e), at = number(a.places, e);
        const i64 row = p.by_lines ? line : at, inner = p.by_lines ? at : line;
        add(&sums[row * p.columns + column], value<T>(a, e, z) * element_of<T>(p.b, inner, column, z));
    }
}
template <class T>
__device__ void finish(const Product& p) {
    const T alpha = factor<T>(p.alpha), beta = factor<T>(p.beta);
    const i64 z = blockIdx.z;
    const T* sums = (const T*)p.sums + z * p.rows * p.columns;
    for (i64 k = first_thread(); k < p.rows * p.columns; k += all_threads())
        combine(p.c.at, place(p.c, k / p.columns, k % p.columns, z), p.c.type, alpha, sums[k], beta);
}

/// A warp for each entry; a grid has fewer batches than there may be.
template <class T>
__device__ void sampled_of_batch(const Sampled& s, i64 z) {
    const T alpha = factor<T>(s.alpha), beta = factor<T>(s.beta);
    const Matrix c = of_batch(s.c, z);
    for (i64 e = first_warp(); e < c.entries; e += all_warps()) {
        const i64 line = line_of(c, e), at = number(c.places, e);
        const i64 row = s.by_lines ? line : at, column = s.by_lines ? at : line;
        T sum = Is<T>::of(0, 0);
#pragma unroll 1
        for (i64 k = threadIdx.x % 32; k < s.k; k += 32)
            sum = sum + element_of<T>(s.a, row, k, z) * element_of<T>(s.b, k, column, z);
        sum = warp_sum(sum);
        if (threadIdx.x % 32 == 0) combine(c.values, e + z * c.entries_apart, c.type, alpha, sum, beta);
    }
}

template <class T>
__device__ void sampled(const Sampled& s) {
#pragma unroll 1
    for (i64 z = blockIdx.z; z < s.batches; z += gridDim.z) sampled_of_batch<T>(s, z);
}

/// Whether an entry is of the triangle behind the diagonal.
__device__ inline bool counts(const Solve& s, i64 line, i64 at) {
    return s.lower == s.by_lines ? at < line : at > line;
}

/// A warp for each column of X, one row after the other: lanes take a row's entries.
template <class T>
__device__ void solve_rows(const Solve& s) {
    const T alpha = factor<T>(s.alpha);
    for (i64 column = first_warp(); column < s.columns; column += all_warps())
#pragma unroll 1
        for (i64 k = 0; k < s.a.lines; ++k) {
            const i64 row = s.lower ? k : s.a.lines - 1 - k, end = number(s.a.starts, row + 1);
            T sum = Is<T>::of(0, 0), diagonal = Is<T>::of(0, 0);
#pragma unroll 1
            for (i64 e = number(s.a.starts, row) + threadIdx.x % 32; e < end; e += 32) {
                const i64 at = number(s.a.places, e);
                if (counts(s, row, at)) sum = sum + value<T>(s.a, e) * element_of<T>(s.x, at, column, 0);
                if (at == row) diagonal = diagonal + value<T>(s.a, e);
            }
            sum = warp_sum(sum);
            diagonal = warp_sum(diagonal);
            if (threadIdx.x % 32 == 0) {
                T x = alpha * element_of<T>(s.b, row, column, 0) - sum;
                if (!s.unit) x = x / diagonal;
                store_as(s.x.at, place(s.x, row, column), s.x.type, x);
            }
            __syncwarp();
        }
}

/// The same where lines are columns of A: each element of X, once it is known, is taken from those that wait for it.
template <class T>
__device__ void solve_columns(const Solve& s) {
    const T alpha = factor<T>(s.alpha);
    const int lane = threadIdx.x % 32;
    for (i64 column = first_warp(); column < s.columns; column += all_warps()) {
#pragma unroll 1
        for (i64 row = lane; row < s.a.lines; row += 32)
            store_as(s.x.at, place(s.x, row, column), s.x.type, alpha * element_of<T>(s.b, row, column, 0));
        __syncwarp();
#pragma unroll 1
        for (i64 k = 0; k < s.a.lines; ++k) {
            const i64 row = s.lower ? k : s.a.lines - 1 - k;
            const i64 first = number(s.a.starts, row), end = number(s.a.starts, row + 1);
            T x = element_of<T>(s.x, row, column, 0);
            if (!s.unit) {
                T diagonal = Is<T>::of(0, 0);
#pragma unroll 1
                for (i64 e = first; e < end; ++e)
                    if (number(s.a.places, e) == row) diagonal = diagonal + value<T>(s.a, e);
                x = x / diagonal;
            }
            __syncwarp();
            if (lane == 0) store_as(s.x.at, place(s.x, row, column), s.x.type, x);
#pragma unroll 1
            for (i64 e = first + lane; e < end; e += 32) {
                const i64 at = number(s.a.places, e);
                if (!counts(s, row, at)) continue;
                // Two lanes may have entries of one place. (X has the type of the arithmetic.)
                add(&((T*)s.x.at)[place(s.x, at, column)], Is<T>::of(0, 0) - value<T>(s.a, e) * x);
            }
            __syncwarp();
        }
    }
}

}  // namespace ww_sparse

using namespace ww_sparse;

// clang-format off
#define WW_PRODUCTS(name, T)                                                  \
    WW_KERNEL sparse_rows_vector_##name(Product p) { rows_vector<T>(p); }     \
    WW_KERNEL sparse_rows_##name(Product p) { rows<T>(p); }                   \
    WW_KERNEL sparse_entries_##name(Product p) { entries<T>(p); }             \
    WW_KERNEL sparse_finish_##name(Product p) { finish<T>(p); }
#define WW_SOLVES(name, T)                                                    \
    WW_KERNEL sparse_sampled_##name(Sampled s) { sampled<T>(s); }             \
    WW_KERNEL sparse_solve_rows_##name(Solve s) { solve_rows<T>(s); }         \
    WW_KERNEL sparse_solve_columns_##name(Solve s) { solve_columns<T>(s); }
WW_FOR_EACH_NUMBER(WW_PRODUCTS)
WW_PRODUCTS(i32, int)
WW_FOR_EACH_NUMBER(WW_SOLVES)
// clang-format on
