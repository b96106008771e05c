// Factors of many small matrices: LAPACK on the host, as OpenBLAS has it. `pivots` has n numbers for each matrix; null:
// none are exchanged. Arrays of pointers lie in device memory, which is the host's.
#pragma once

#include <algorithm>
#include <complex>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <tuple>
#include <vector>

#include "libraries/cublas/host.hpp"

namespace warpwright::libraries::impl {

/// The same number with arithmetic.
template <class T>
struct Arithmetic {
    using type = T;
};
template <>
struct Arithmetic<cuComplex> {
    using type = std::complex<float>;
};
template <>
struct Arithmetic<cuDoubleComplex> {
    using type = std::complex<double>;
};

inline bool matrix_fits(std::int64_t m, std::int64_t n, std::int64_t ld) {
    return m >= 0 && n >= 0 && ld >= std::max<std::int64_t>(1, m);
}
/// Whether a batch has these arrays, if there is a batch at all.
template <class... P>
bool has_arrays(int batches, P... arrays) {
    return batches <= 0 || (arrays && ...);
}
template <class T>
void* lapack(const char* name) {
    return host_routine(std::string(1, Names<T>::letter) + name + "_");
}

/// Calls `with` for the size of the workspace, and with it.
template <class T, class With>
void with_room(With with) {
    T asked[2] = {};
    with(asked, -1);
    // The real part comes first.
    const auto size =
        static_cast<std::size_t>(*reinterpret_cast<const decltype(std::abs(typename Arithmetic<T>::type{}))*>(asked));
    std::vector<T> work(std::max<std::size_t>(1, size));
    with(work.data(), static_cast<int>(work.size()));
}

/// L and U of a square matrix without exchanges. Returns LAPACK's info: the first zero on the diagonal, from 1; else 0.
template <class T>
int factor_in_place(int n, T* matrix, int lda) {
    using N = typename Arithmetic<T>::type;
    N* const a = reinterpret_cast<N*>(matrix);
    const auto at = [&](int i, int j) -> N& { return a[static_cast<std::int64_t>(j) * lda + i]; };
    int info = 0;
    for (int k = 0; k < n; ++k) {
        if (at(k, k) == N{}) {
            info = info ? info : k + 1;
            continue;
        }
        for (int i = k + 1; i < n; ++i) at(i, k) /= at(k, k);
        for (int j = k + 1; j < n; ++j)
            for (int i = k + 1; i < n; ++i) at(i, j) -= at(i, k) * at(k, j);
    }
    return info;
}

template <class T>
cublasStatus_t getrf_batched(cublasHandle_t h, int n, T* const* a, int lda, int* pivots, int* info, int batches) {
    if (!matrix_fits(n, n, lda) || batches < 0 || !has_arrays(batches, a, info)) return CUBLAS_STATUS_INVALID_VALUE;
    void* const f = lapack<T>("getrf");
    if (!f) return CUBLAS_STATUS_NOT_SUPPORTED;
    std::vector<Touched> touched{vector_of("Aarray", a, batches), vector_of("infoArray", info, batches)};
    if (pivots) touched.push_back(vector_of("PivotArray", pivots, std::int64_t{n} * batches));
    return libraries::on_host(*h, "getrfBatched", std::move(touched), [=] {
        for (std::int64_t k = 0; k < batches; ++k) {
            if (!may_touch(who("getrfBatched"), {matrix_of("A[i]", a[k], n, n, lda)})) return;
            if (pivots)
                call(f, std::make_tuple(n, n, static_cast<const T*>(a[k]), lda, static_cast<const int*>(pivots + k * n),
                                        static_cast<const int*>(info + k)));
            else
                info[k] = factor_in_place(n, a[k], lda);
        }
    });
}

/// Pivots that exchange nothing, where the program has none.
inline std::vector<int> own_pivots(const int* pivots, int n) {
    std::vector<int> out(static_cast<std::size_t>(std::max(1, n)));
    if (pivots)
        std::copy_n(pivots, n, out.begin());
    else
        std::iota(out.begin(), out.end(), 1);
    return out;
}

template <class T>
cublasStatus_t getri_batched(cublasHandle_t h, int n, const T* const* a, int lda, const int* pivots, T* const* c,
                             int ldc, int* info, int batches) {
    if (!matrix_fits(n, n, lda) || !matrix_fits(n, n, ldc) || batches < 0 || !has_arrays(batches, a, c, info))
        return CUBLAS_STATUS_INVALID_VALUE;
    void* const f = lapack<T>("getri");
    if (!f) return CUBLAS_STATUS_NOT_SUPPORTED;
    std::vector<Touched> touched{vector_of("Aarray", a, batches), vector_of("Carray", c, batches),
                                 vector_of("infoArray", info, batches)};
    if (pivots) touched.push_back(vector_of("PivotArray", pivots, std::int64_t{n} * batches));
    return libraries::on_host(*h, "getriBatched", std::move(touched), [=] {
        for (std::int64_t k = 0; k < batches; ++k) {
            if (!may_touch(who("getriBatched"),
                           {matrix_of("A[i]", a[k], n, n, lda), matrix_of("C[i]", c[k], n, n, ldc)}))
                return;
            const auto own = own_pivots(pivots ? pivots + k * n : nullptr, n);
            if (!pivots_fit(who("getriBatched"), own.data(), n, n)) return;
            for (std::int64_t j = 0; c[k] != a[k] && j < n; ++j)
                std::memcpy(c[k] + j * ldc, a[k] + j * lda, static_cast<std::size_t>(n) * sizeof(T));
            with_room<T>([&](const T* work, int size) {
                call(f, std::make_tuple(n, static_cast<const T*>(c[k]), ldc, own.data(), work, size,
                                        static_cast<const int*>(info + k)));
            });
        }
    });
}

/// `info` of this one and the next is the host's, as documented: which argument is wrong, from 1, negative.
template <class T>
cublasStatus_t getrs_batched(cublasHandle_t h, cublasOperation_t op, int n, int columns, const T* const* a, int lda,
                             const int* pivots, T* const* b, int ldb, int* info, int batches) {
    const auto o = kept(op);
    const int wrong = !o                              ? 1
                      : n < 0                         ? 2
                      : columns < 0                   ? 3
                      : !has_arrays(batches, a)       ? 4
                      : !matrix_fits(n, n, lda)       ? 5
                      : !has_arrays(batches, b)       ? 7
                      : !matrix_fits(n, columns, ldb) ? 8
                      : batches < 0                   ? 10
                                                      : 0;
    if (info) *info = -wrong;
    if (wrong || !info) return CUBLAS_STATUS_INVALID_VALUE;
    void* const f = lapack<T>("getrs");
    if (!f) return CUBLAS_STATUS_NOT_SUPPORTED;
    std::vector<Touched> touched{vector_of("Aarray", a, batches), vector_of("Barray", b, batches)};
    if (pivots) touched.push_back(vector_of("devIpiv", pivots, std::int64_t{n} * batches));
    return libraries::on_host(*h, "getrsBatched", std::move(touched), [=] {
        for (std::int64_t k = 0; k < batches; ++k) {
            if (!may_touch(who("getrsBatched"),
                           {matrix_of("A[i]", a[k], n, n, lda), matrix_of("B[i]", b[k], n, columns, ldb)}))
                return;
            const auto own = own_pivots(pivots ? pivots + k * n : nullptr, n);
            if (!pivots_fit(who("getrsBatched"), own.data(), n, n)) return;
            int told = 0;
            call(f, std::make_tuple(*o, n, columns, a[k], lda, own.data(), static_cast<const T*>(b[k]), ldb,
                                    static_cast<const int*>(&told)));
        }
    });
}

/// Solves, or comes as near as the sum of squares allows: the solution stands where the right sides stood. `info` is
/// the host's, `infos` has one number for each matrix and may be null.
template <class T>
cublasStatus_t gels_batched(cublasHandle_t h, cublasOperation_t op, int m, int n, int columns, T* const* a, int lda,
                            T* const* c, int ldc, int* info, int* infos, int batches) {
    const auto o = kept(op);
    const int wrong = !o                                           ? 1
                      : m < 0                                      ? 2
                      : n < 0                                      ? 3
                      : columns < 0                                ? 4
                      : !has_arrays(batches, a)                    ? 5
                      : !matrix_fits(m, n, lda)                    ? 6
                      : !has_arrays(batches, c)                    ? 7
                      : !matrix_fits(std::max(m, n), columns, ldc) ? 8
                      : batches < 0                                ? 11
                                                                   : 0;
    if (info) *info = -wrong;
    if (wrong || !info) return CUBLAS_STATUS_INVALID_VALUE;
    void* const f = lapack<T>("gels");
    if (!f) return CUBLAS_STATUS_NOT_SUPPORTED;
    std::vector<Touched> touched{vector_of("Aarray", a, batches), vector_of("Carray", c, batches)};
    if (infos) touched.push_back(vector_of("devInfoArray", infos, batches));
    return libraries::on_host(*h, "gelsBatched", std::move(touched), [=] {
        for (std::int64_t k = 0; k < batches; ++k) {
            if (!may_touch(who("gelsBatched"),
                           {matrix_of("A[i]", a[k], m, n, lda), matrix_of("C[i]", c[k], std::max(m, n), columns, ldc)}))
                return;
            int told = 0;
            with_room<T>([&](const T* work, int size) {
                call(f, std::make_tuple(*o, m, n, columns, static_cast<const T*>(a[k]), lda,
                                        static_cast<const T*>(c[k]), ldc, work, size, static_cast<const int*>(&told)));
            });
            if (infos) infos[k] = told;
        }
    });
}

/// The inverse of each matrix, which is not changed itself.
template <class T>
cublasStatus_t matinv_batched(cublasHandle_t h, int n, const T* const* a, int lda, T* const* c, int ldc, int* info,
                              int batches) {
    if (!matrix_fits(n, n, lda) || !matrix_fits(n, n, ldc) || batches < 0 || !has_arrays(batches, a, c, info))
        return CUBLAS_STATUS_INVALID_VALUE;
    void *const factor = lapack<T>("getrf"), *const invert = lapack<T>("getri");
    if (!factor || !invert) return CUBLAS_STATUS_NOT_SUPPORTED;
    std::vector<Touched> touched{vector_of("A", a, batches), vector_of("Ainv", c, batches),
                                 vector_of("info", info, batches)};
    return libraries::on_host(*h, "matinvBatched", std::move(touched), [=] {
        for (std::int64_t k = 0; k < batches; ++k) {
            if (!may_touch(who("matinvBatched"),
                           {matrix_of("A[i]", a[k], n, n, lda), matrix_of("Ainv[i]", c[k], n, n, ldc)}))
                return;
            for (std::int64_t j = 0; c[k] != a[k] && j < n; ++j)
                std::memcpy(c[k] + j * ldc, a[k] + j * lda, static_cast<std::size_t>(n) * sizeof(T));
            auto pivots = own_pivots(nullptr, n);
            call(factor, std::make_tuple(n, n, static_cast<const T*>(c[k]), ldc, static_cast<const int*>(pivots.data()),
                                         static_cast<const int*>(info + k)));
            if (info[k] != 0) continue;
            with_room<T>([&](const T* work, int size) {
                call(invert,
                     std::make_tuple(n, static_cast<const T*>(c[k]), ldc, static_cast<const int*>(pivots.data()), work,
                                     size, static_cast<const int*>(info + k)));
            });
        }
    });
}

template <class T>
cublasStatus_t geqrf_batched(cublasHandle_t h, int m, int n, T* const* a, int lda, T* const* tau, int* info,
                             int batches) {
    const int wrong = m < 0                       ? 1
                      : n < 0                     ? 2
                      : !has_arrays(batches, a)   ? 3
                      : !matrix_fits(m, n, lda)   ? 4
                      : !has_arrays(batches, tau) ? 5
                      : batches < 0               ? 7
                                                  : 0;
    if (info) *info = -wrong;
    if (wrong || !info) return CUBLAS_STATUS_INVALID_VALUE;
    void* const f = lapack<T>("geqrf");
    if (!f) return CUBLAS_STATUS_NOT_SUPPORTED;
    return libraries::on_host(
        *h, "geqrfBatched", {vector_of("Aarray", a, batches), vector_of("TauArray", tau, batches)}, [=] {
            for (std::int64_t k = 0; k < batches; ++k) {
                if (!may_touch(who("geqrfBatched"),
                               {matrix_of("A[i]", a[k], m, n, lda), vector_of("Tau[i]", tau[k], std::min(m, n))}))
                    return;
                int told = 0;
                with_room<T>([&](const T* work, int size) {
                    call(f, std::make_tuple(m, n, static_cast<const T*>(a[k]), lda, static_cast<const T*>(tau[k]), work,
                                            size, static_cast<const int*>(&told)));
                });
            }
        });
}

}  // namespace warpwright::libraries::impl
