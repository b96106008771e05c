// Work on the values of sparse matrices and vectors: changes of form, sums of entries, and systems with three
// diagonals.
#include "number.cuh"

namespace ww_sparse {

/// Sums of the products or entries that have one place.
template <class T>
__device__ void merge(const Merge& m) {
    const T alpha = factor<T>(m.alpha), beta = factor<T>(m.beta);
    const Indices first = {const_cast<i64*>(m.first), 1, 0};
    for (i64 c = first_thread(); c < m.c.entries; c += all_threads()) {
        T sum = Is<T>::of(0, 0);
#pragma unroll 1
        for (i64 k = m.heads[c]; k < m.heads[c + 1]; ++k) {
            const i64 p = m.order[k];
            if (m.products) {
                const i64 e = below(first, m.a.entries + 1, p + 1) - 1;
                const i64 of_b = number(m.b.starts, number(m.a.places, e)) + p - m.first[e];
                sum = sum + value<T>(m.a, e) * value<T>(m.b, of_b);
            } else {
                sum = sum + (p < m.a.entries ? alpha * value<T>(m.a, p) : beta * value<T>(m.b, p - m.a.entries));
            }
        }
        if (m.products)
            combine(m.c.values, c, m.c.type, alpha, sum, beta);
        else
            store_as(m.c.values, c, m.c.type, sum);
    }
}

template <class T>
__device__ void in_order(const void* from, const unsigned* order, i64 count, int type, void* to) {
    for (i64 k = first_thread(); k < count; k += all_threads()) store_as(to, k, type, load_as<T>(from, order[k], type));
}

/// How many numbers of each line are not zero: a warp for each line.
template <class T>
__device__ void count_dense(const Change& c) {
    for (i64 line = first_warp(); line <= c.sparse.lines; line += all_warps()) {
        i64 n = 0;
        if (line < c.sparse.lines)
            for (i64 at = threadIdx.x % 32; at < c.sparse.across; at += 32)
                n += !is_zero(element_of<T>(c.dense, line, at, 0));
        n = warp_sum(n);
        if (threadIdx.x % 32 == 0) c.counts[line] = n;
    }
}
template <class T>
__device__ void from_dense(const Change& c) {
    const int lane = threadIdx.x % 32;
    for (i64 line = first_warp(); line <= c.sparse.lines; line += all_warps()) {
        i64 e = c.counts[line];
        if (c.sparse.compressed && lane == 0) put(c.sparse.starts, line, e);
        if (line == c.sparse.lines) continue;
        for (i64 part = 0; part < c.sparse.across; part += 32) {
            const i64 at = part + lane;
            T x = Is<T>::of(0, 0);
            if (at < c.sparse.across) x = element_of<T>(c.dense, line, at, 0);
            const unsigned there = __ballot_sync(~0u, !is_zero(x));
            if (!is_zero(x)) {
                const i64 to = e + __popc(there & ((1u << lane) - 1));
                if (!c.sparse.compressed) put(c.sparse.starts, to, line);
                put(c.sparse.places, to, at);
                store_as(c.sparse.values, to, c.sparse.type, x);
            }
            e += __popc(there);
        }
    }
}
template <class T>
__device__ void zero_dense(const Change& c) {
    for (i64 k = first_thread(); k < c.sparse.lines * c.sparse.across; k += all_threads())
        store_as(c.dense.at, place(c.dense, k / c.sparse.across, k % c.sparse.across), c.dense.type, Is<T>::of(0, 0));
}
template <class T>
__device__ void to_dense(const Change& c) {
    for (i64 e = first_thread(); e < c.sparse.entries; e += all_threads())
        store_as(c.dense.at, place(c.dense, line_of(c.sparse, e), number(c.sparse.places, e)), c.dense.type,
                 value<T>(c.sparse, e));
}

/// Whether an entry is larger than what is dropped.
template <class T>
__device__ bool stays(const Compress& c, i64 e) {
    const T x = value<T>(c.a, e);
    if constexpr (Is<T>::complex)
        return hypot((double)x.x, (double)x.y) > c.least[0];
    else
        return size(x) > c.least[0];
}
template <class T>
__device__ void count_large(const Compress& c) {
    for (i64 line = first_thread(); line < c.a.lines; line += all_threads()) {
        int n = 0;
        for (i64 e = number(c.a.starts, line); e < number(c.a.starts, line + 1); ++e) n += stays<T>(c, e);
        c.counts[line] = n;
    }
}
template <class T>
__device__ void keep_large(const Compress& c) {
    for (i64 line = first_thread(); line <= c.a.lines; line += all_threads()) {
        i64 to = c.first[line];
        put(c.starts, line, to);
        if (line == c.a.lines) continue;
        for (i64 e = number(c.a.starts, line); e < number(c.a.starts, line + 1); ++e) {
            if (!stays<T>(c, e)) continue;
            put(c.places, to, number(c.a.places, e));
            store_as(c.values, to++, c.a.type, value<T>(c.a, e));
        }
    }
}

template <class T>
__device__ void scale(const WithVector& w) {
    const T beta = factor<T>(w.beta);
    for (i64 k = first_thread(); k < w.size; k += all_threads())
        store_as(w.y, k, w.y_type, is_zero(beta) ? beta : beta * load_as<T>(w.y, k, w.y_type));
}
template <class T>
__device__ void add_vector(const WithVector& w) {
    const T alpha = factor<T>(w.alpha);
    for (i64 e = first_thread(); e < w.x.entries; e += all_threads()) {
        const i64 at = number(w.x.places, e);
        store_as(w.y, at, w.y_type, load_as<T>(w.y, at, w.y_type) + alpha * load_as<T>(w.x.values, e, w.x.type));
    }
}
template <class T>
__device__ void gather(const WithVector& w) {
    for (i64 e = first_thread(); e < w.x.entries; e += all_threads())
        store_as(w.x.values, e, w.x.type, load_as<T>(w.y, number(w.x.places, e), w.y_type));
}
template <class T>
__device__ void scatter(const WithVector& w) {
    for (i64 e = first_thread(); e < w.x.entries; e += all_threads())
        store_as(w.y, number(w.x.places, e), w.y_type, load_as<T>(w.x.values, e, w.x.type));
}
/// x = alpha x + beta y, y = alpha y - beta x.
template <class T>
__device__ void rotate(const WithVector& w) {
    const T c = factor<T>(w.alpha), s = factor<T>(w.beta);
#pragma unroll 1
    for (i64 e = first_thread(); e < w.x.entries; e += all_threads()) {
        const i64 at = number(w.x.places, e);
        const T x = load_as<T>(w.x.values, e, w.x.type), y = load_as<T>(w.y, at, w.y_type);
        store_as(w.x.values, e, w.x.type, c * x + s * y);
        store_as(w.y, at, w.y_type, c * y - s * x);
    }
}
/// By one block, whose threads' sums are added in order.
template <class T>
__device__ void dot(const WithVector& w) {
    __shared__ T of_warp[kThreads / 32];
    T sum = Is<T>::of(0, 0);
#pragma unroll 1
    for (i64 e = threadIdx.x; e < w.x.entries; e += kThreads)
        sum = sum + conjugate_if(w.conjugate, load_as<T>(w.x.values, e, w.x.type)) *
                        load_as<T>(w.y, number(w.x.places, e), w.y_type);
    sum = warp_sum(sum);
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x != 0) return;
    for (int k = 1; k < kThreads / 32; ++k) sum = sum + of_warp[k];
    store_as(w.result, 0, w.result_type, sum);
}

/// A thread for each system: elimination with exchange of neighbouring rows.
template <class T>
__device__ void tridiagonal(const Tridiagonal& t) {
    for (i64 s = first_thread(); s < t.systems; s += all_threads()) {
        const T *low = (const T*)t.lower + s * t.matrix_apart, *mid = (const T*)t.diagonal + s * t.matrix_apart,
                *up = (const T*)t.upper + s * t.matrix_apart;
        T *x = (T*)t.x + s * t.x_apart, *d = (T*)t.room + 3 * s * t.m, *u = d + t.m, *w = u + t.m;
        const T zero = Is<T>::of(0, 0);
        T row_d = mid[0], row_u = t.m > 1 ? up[0] : zero, row_x = x[0];
#pragma unroll 1
        for (int k = 0; k + 1 < t.m; ++k) {
            const T l = low[k + 1], next_d = mid[k + 1], next_u = k + 2 < t.m ? up[k + 1] : zero, next_x = x[k + 1];
            const bool turned = size(l) > size(row_d);
            d[k] = turned ? l : row_d;
            u[k] = turned ? next_d : row_u;
            w[k] = turned ? next_u : zero;
            x[k] = turned ? next_x : row_x;
            const T f = (turned ? row_d : l) / d[k];
            row_d = (turned ? row_u : next_d) - f * u[k];
            row_u = turned ? zero - f * next_u : next_u;
            row_x = (turned ? row_x : next_x) - f * x[k];
        }
        d[t.m - 1] = row_d;
        x[t.m - 1] = row_x / row_d;
#pragma unroll 1
        for (int k = t.m - 2; k >= 0; --k) {
            T rest = x[k] - u[k] * x[k + 1];
            if (k + 2 < t.m) rest = rest - w[k] * x[k + 2];
            x[k] = rest / d[k];
        }
    }
}

}  // namespace ww_sparse

using namespace ww_sparse;

// clang-format off
#define WW_VALUES(name, T)                                                                                        \
    WW_KERNEL sparse_merge_##name(Merge m) { merge<T>(m); }                                                       \
    WW_KERNEL sparse_in_order_##name(const void* from, const unsigned* order, i64 count, int type, void* to) {    \
        in_order<T>(from, order, count, type, to);                                                                \
    }                                                                                                             \
    WW_KERNEL sparse_count_dense_##name(Change c) { count_dense<T>(c); }                                          \
    WW_KERNEL sparse_from_dense_##name(Change c) { from_dense<T>(c); }                                            \
    WW_KERNEL sparse_zero_dense_##name(Change c) { zero_dense<T>(c); }                                            \
    WW_KERNEL sparse_to_dense_##name(Change c) { to_dense<T>(c); }                                                \
    WW_KERNEL sparse_count_large_##name(Compress c) { count_large<T>(c); }                                        \
    WW_KERNEL sparse_keep_large_##name(Compress c) { keep_large<T>(c); }                                          \
    WW_KERNEL sparse_scale_##name(WithVector w) { scale<T>(w); }                                                  \
    WW_KERNEL sparse_add_##name(WithVector w) { add_vector<T>(w); }                                               \
    WW_KERNEL sparse_gather_##name(WithVector w) { gather<T>(w); }                                                \
    WW_KERNEL sparse_scatter_##name(WithVector w) { scatter<T>(w); }                                              \
    WW_KERNEL sparse_rotate_##name(WithVector w) { rotate<T>(w); }                                                \
    WW_KERNEL sparse_dot_##name(WithVector w) { dot<T>(w); }                                                      \
    WW_KERNEL sparse_tridiagonal_##name(Tridiagonal t) { tridiagonal<T>(t); }
WW_FOR_EACH_NUMBER(WW_VALUES)
// clang-format on
