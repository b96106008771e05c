// Routines that OpenBLAS computes on the host: device memory is the host's, so they need only wait for their turn in
// the stream.
#pragma once

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "libraries/cublas/context.hpp"

namespace warpwright::libraries::impl {

// Arguments as Fortran takes them: all by address. What is behind it lives in the work that is queued.
inline std::optional<char> kept(cublasOperation_t op) {
    if (op < CUBLAS_OP_N || op > CUBLAS_OP_C) return {};
    return "NTC"[op];
}
inline std::optional<char> kept(cublasFillMode_t fill) {
    if (fill != CUBLAS_FILL_MODE_LOWER && fill != CUBLAS_FILL_MODE_UPPER) return {};
    return "LU"[fill];
}
inline std::optional<char> kept(cublasDiagType_t diagonal) { return diagonal == CUBLAS_DIAG_UNIT ? 'U' : 'N'; }
inline std::optional<char> kept(cublasSideMode_t side) { return side == CUBLAS_SIDE_LEFT ? 'L' : 'R'; }
inline std::optional<int> kept(std::int64_t n) {
    if (n < -std::numeric_limits<int>::max() || n > std::numeric_limits<int>::max()) return {};
    return static_cast<int>(n);
}
inline std::optional<int> kept(int n) { return n; }
template <class T>
std::optional<const T*> kept(const T* array) {
    return array;
}
template <class T>
std::optional<const T*> kept(T* array) {
    return array;
}
template <class T>
std::optional<Scalar<T>> kept(Scalar<T> scalar) {
    return scalar;
}
template <class T, int count>
std::optional<Scalars<T, count>> kept(Scalars<T, count> scalars) {
    return scalars;
}
template <class T>
const void* address(const T& value) {
    return &value;
}
template <class T>
const void* address(const T* const& array) {
    return array;
}
template <class T>
const void* address(const Scalar<T>& scalar) {
    return scalar.pointer ? scalar.pointer : &scalar.value;
}
template <class T, int count>
const void* address(const Scalars<T, count>& scalars) {
    return scalars.pointer ? scalars.pointer : scalars.values;
}

/// What a routine of BLAS is asked for, apart from arrays and scalars, in the order of its arguments.
class HostArguments {
public:
    void take(char letter) { letters_ += letter; }
    void take(int n) { (after_array_ ? strides_ : sizes_).push_back(n), after_array_ = false; }
    template <class T>
    void take(const T* const&) {
        after_array_ = true;
    }
    template <class T>
    void take(const T&) {
        after_array_ = false;
    }
    /// Sizes are not negative, increments are not zero, and leading dimensions hold a column of their matrix.
    bool valid(std::string_view routine) const;

private:
    std::int64_t least_stride(std::string_view routine, std::size_t which) const;

    std::string letters_;                ///< of side, triangle, operation and diagonal
    std::vector<std::int64_t> sizes_;    ///< m, n, k, bandwidths
    std::vector<std::int64_t> strides_;  ///< the numbers behind arrays: increments and leading dimensions
    bool after_array_ = false;
};

/// The side of the square matrix in a product with it from this side, of a result of m by n.
inline std::int64_t square_side(char side, std::int64_t m, std::int64_t n) { return side == 'L' ? m : n; }

template <class>
using Address = const void*;

/// Calls a routine with these arguments.
template <class... K>
void call(void* routine, const std::tuple<K...>& arguments) {
    std::apply([&](const K&... k) { reinterpret_cast<void (*)(Address<K>...)>(routine)(address(k)...); }, arguments);
}

/// `letter` of the type and `name` make the routine's name: "strsm_".
template <class T, class... A>
cublasStatus_t on_host(cublasHandle_t h, const char* function, const char* name, A... arguments) {
    const auto all = std::make_tuple(kept(arguments)...);
    const bool given = std::apply([](const auto&... k) { return (k.has_value() && ...); }, all);
    if (!given) return CUBLAS_STATUS_INVALID_VALUE;
    const auto values = std::apply([](const auto&... k) { return std::make_tuple(*k...); }, all);
    HostArguments asked;
    std::apply([&](const auto&... k) { (asked.take(k), ...); }, values);
    if (!asked.valid(name)) return CUBLAS_STATUS_INVALID_VALUE;
    void* const routine = host_routine(std::string(1, Names<T>::letter) + name + "_");
    if (!routine) return CUBLAS_STATUS_NOT_SUPPORTED;
    return libraries::on_host(*h, function, [routine, values] { call(routine, values); });
}

/// B = op(A) B out of place, which BLAS has in place only.
template <class T>
cublasStatus_t trmm(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t fill, cublasOperation_t op,
                    cublasDiagType_t diagonal, std::int64_t m, std::int64_t n, Scalar<T> alpha, const T* a,
                    std::int64_t lda, const T* b, std::int64_t ldb, T* c, std::int64_t ldc) {
    const auto s = kept(side), f = kept(fill), o = kept(op), d = kept(diagonal);
    const auto rows = kept(m), columns = kept(n), la = kept(lda), lc = kept(ldc);
    if (!f || !o || !rows || !columns || !la || !lc || m < 0 || n < 0 ||
        lda < std::max<std::int64_t>(1, square_side(*s, m, n)) || ldb < m || ldc < std::max<std::int64_t>(1, m))
        return CUBLAS_STATUS_INVALID_VALUE;
    void* const routine = host_routine(std::string(1, Names<T>::letter) + "trmm_");
    if (!routine) return CUBLAS_STATUS_NOT_SUPPORTED;
    const auto values = std::make_tuple(*s, *f, *o, *d, *rows, *columns, alpha, a, *la, static_cast<const T*>(c), *lc);
    return libraries::on_host(*h, "trmm", [=] {
        if (c != b)
            for (std::int64_t j = 0; j < n; ++j)
                std::memcpy(c + j * ldc, b + j * ldb, static_cast<std::size_t>(m) * sizeof(T));
        call(routine, values);
    });
}

template <class T>
cublasStatus_t trsm_batched(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t fill, cublasOperation_t op,
                            cublasDiagType_t diagonal, std::int64_t m, std::int64_t n, Scalar<T> alpha,
                            const T* const* a, std::int64_t lda, T* const* b, std::int64_t ldb, std::int64_t batches) {
    const auto s = kept(side), f = kept(fill), o = kept(op), d = kept(diagonal);
    const auto rows = kept(m), columns = kept(n), la = kept(lda), lb = kept(ldb);
    if (!f || !o || !rows || !columns || !la || !lb || m < 0 || n < 0 || ldb < std::max<std::int64_t>(1, m) ||
        lda < std::max<std::int64_t>(1, square_side(*s, m, n)) || batches < 0)
        return CUBLAS_STATUS_INVALID_VALUE;
    void* const routine = host_routine(std::string(1, Names<T>::letter) + "trsm_");
    if (!routine) return CUBLAS_STATUS_NOT_SUPPORTED;
    return libraries::on_host(*h, "trsmBatched", [=] {
        for (std::int64_t k = 0; k < batches; ++k)
            call(routine,
                 std::make_tuple(*s, *f, *o, *d, *rows, *columns, alpha, a[k], *la, static_cast<const T*>(b[k]), *lb));
    });
}

}  // namespace warpwright::libraries::impl
