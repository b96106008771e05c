// Incomplete factors of matrices by rows, in the places of the matrix's own entries: L and U without exchanges (Meijerink and van der
// Vorst 1977), and L of a Hermitian one. One warp takes the rows in order: each needs those before it. Places of a row are in order.
#include "number.cuh"

namespace ww_sparse {

/// The entry of a row, from `first` to below `end`, at this place; `end`: none.
static __device__ i64 entry_at(const Matrix& a, i64 first, i64 end, i64 place) {
    const Indices from{(char*)a.places.at + first * (a.places.wide ? 8 : 4), a.places.wide, a.places.base};
    const i64 e = first + below(from, end - first, place);
    return e < end && number(a.places, e) == place ? e : end;
}

template <class T>
static __device__ T root(T x) {
    if constexpr (Is<T>::complex)
        return Is<T>::of(sqrt((double)x.x), 0);
    else
        return (T)sqrt((double)x);
}
template <class T>
static __device__ T conjugate(T x) {
    return conjugate_if(true, x);
}
/// All lanes have the sum.
template <class T>
static __device__ T over_warp(T x) {
    x = warp_sum(x);
    if constexpr (Is<T>::complex)
        return {__shfl_sync(~0u, x.x, 0), __shfl_sync(~0u, x.y, 0)};
    else
        return __shfl_sync(~0u, x, 0);
}

/// A row's pivot, which the first lane may replace where it is small; the first that is zero or missing is kept.
template <class T>
static __device__ void settle(const Factors& f, i64 row, i64 diagonal, i64 end) {
    const bool missing = diagonal == end;
    if (threadIdx.x % 32 == 0) {
        T* const values = (T*)f.a.values;
        if (!missing && f.boosts && size(values[diagonal]) <= f.tolerance) values[diagonal] = Is<T>::of(f.boost[0], f.boost[1]);
        if ((missing || is_zero(values[diagonal])) && *f.zero < 0) *f.zero = row + f.a.places.base;
    }
    __syncwarp();
}

template <class T>
static __device__ void lower_and_upper(const Factors& f) {
    T* const values = (T*)f.a.values;
    const int lane = threadIdx.x % 32;
#pragma unroll 1
    for (i64 row = 0; row < f.a.lines; ++row) {
        const i64 first = number(f.a.starts, row), end = number(f.a.starts, row + 1);
#pragma unroll 1
        for (i64 e = first; e < end; ++e) {
            const i64 k = number(f.a.places, e);
            if (k >= row) break;
            const i64 other_first = number(f.a.starts, k), other_end = number(f.a.starts, k + 1);
            const i64 pivot = entry_at(f.a, other_first, other_end, k);
            if (pivot == other_end) continue;
            const T part = values[e] / values[pivot];
            __syncwarp();
            if (lane == 0) values[e] = part;
#pragma unroll 1
            for (i64 o = pivot + 1 + lane; o < other_end; o += 32) {
                const i64 own = entry_at(f.a, first, end, number(f.a.places, o));
                if (own != end) values[own] = values[own] - part * values[o];
            }
            __syncwarp();
        }
        settle<T>(f, row, entry_at(f.a, first, end, row), end);
    }
}

/// L in the lower triangle; what is above the diagonal stays.
template <class T>
static __device__ void lower_alone(const Factors& f) {
    T* const values = (T*)f.a.values;
    const int lane = threadIdx.x % 32;
#pragma unroll 1
    for (i64 row = 0; row < f.a.lines; ++row) {
        const i64 first = number(f.a.starts, row), end = number(f.a.starts, row + 1);
#pragma unroll 1
        for (i64 e = first; e < end; ++e) {
            const i64 k = number(f.a.places, e);
            if (k > row) break;
            const i64 other_first = number(f.a.starts, k), other_end = number(f.a.starts, k + 1);
            const i64 pivot = entry_at(f.a, other_first, other_end, k);
            if (pivot == other_end) continue;
            T sum = Is<T>::of(0, 0);
#pragma unroll 1
            for (i64 o = other_first + lane; o < pivot; o += 32) {
                const i64 own = entry_at(f.a, first, end, number(f.a.places, o));
                if (own != end) sum = sum + values[own] * conjugate(values[o]);
            }
            sum = over_warp(sum);
            const T rest = values[e] - sum;
            const T out = k == row ? root(rest) : rest / values[pivot];
            __syncwarp();
            if (lane == 0) values[e] = out;
            __syncwarp();
        }
        settle<T>(f, row, entry_at(f.a, first, end, row), end);
    }
}

}  // namespace ww_sparse

using namespace ww_sparse;

// clang-format off
#define WW_FACTORS(name, T)                                                              \
    WW_KERNEL sparse_lower_and_upper_##name(Factors f) { if (first_thread() < 32) lower_and_upper<T>(f); } \
    WW_KERNEL sparse_lower_alone_##name(Factors f) { if (first_thread() < 32) lower_alone<T>(f); }
WW_FOR_EACH_NUMBER(WW_FACTORS)
// clang-format on
