// Routines that OpenBLAS computes on the host: device memory is the host's, so they need only wait for their turn in
// the stream.
#pragma once

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "libraries/common/touched.hpp"
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

/// What a routine of BLAS is asked for, in the order of its arguments.
class HostArguments {
public:
    explicit HostArguments(std::string_view routine) : routine_(routine) {}
    void take(char letter) { letters_ += letter; }
    void take(int n) {
        if (after_array_)
            arrays_.back().stride = n;
        else
            sizes_.push_back(n);
        after_array_ = false;
    }
    template <class T>
    void take(const T* const& array) {
        arrays_.push_back({array, sizeof(T), {}});
        after_array_ = true;
    }
    template <class T>
    void take(const Scalar<T>& scalar) {
        after_array_ = false;
        if (scalar.pointer) scalars_.push_back({"a scalar", scalar.pointer, sizeof(T), false});
    }
    template <class T, int count>
    void take(const Scalars<T, count>& scalars) {
        after_array_ = false;
        if (scalars.pointer) scalars_.push_back({"a scalar", scalars.pointer, sizeof(T) * count, false});
    }
    /// Sizes are not negative, increments are not zero, and leading dimensions hold a column of their matrix.
    bool valid() const;
    /// The memory that it reads and writes, of valid ones.
    std::vector<Touched> touched() const;

private:
    struct Array {
        const void* at;
        std::size_t element;        ///< bytes
        std::optional<int> stride;  ///< the number behind it: an increment or a leading dimension
    };
    /// A vector of `rows`; a matrix; one of a triangle's elements in a row, which has no stride.
    struct Shape {
        enum Kind { vector, matrix, band, packed } kind;
        std::int64_t rows, columns = 1;
    };
    Shape shape(std::size_t array) const;
    std::int64_t elements(std::size_t array) const;
    bool is(std::initializer_list<std::string_view> routines) const;
    std::int64_t size(std::size_t k) const { return k < sizes_.size() ? sizes_[k] : 0; }

    std::string_view routine_;
    std::string letters_;              ///< of side, triangle, operation and diagonal
    std::vector<std::int64_t> sizes_;  ///< m, n, k, bandwidths
    std::vector<Array> arrays_;
    std::vector<Touched> scalars_;  ///< in device memory
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
    HostArguments asked(name);
    std::apply([&](const auto&... k) { (asked.take(k), ...); }, values);
    if (!asked.valid()) return CUBLAS_STATUS_INVALID_VALUE;
    void* const routine = host_routine(std::string(1, Names<T>::letter) + name + "_");
    if (!routine) return CUBLAS_STATUS_NOT_SUPPORTED;
    return libraries::on_host(*h, function, asked.touched(), [routine, values] { call(routine, values); });
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
    const auto side_a = square_side(*s, m, n);
    std::vector<Touched> touched{matrix_of("A", a, side_a, side_a, lda), matrix_of("B", b, m, n, ldb),
                                 matrix_of("C", c, m, n, ldc)};
    if (alpha.pointer) touched.push_back(vector_of("alpha", alpha.pointer, 1));
    return libraries::on_host(*h, "trmm", std::move(touched), [=] {
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
    std::vector<Touched> touched{vector_of("A", a, batches), vector_of("B", const_cast<const T* const*>(b), batches)};
    if (alpha.pointer) touched.push_back(vector_of("alpha", alpha.pointer, 1));
    return libraries::on_host(*h, "trsmBatched", std::move(touched), [=] {
        const auto side_a = square_side(*s, m, n);
        const auto there = [&](std::int64_t k) {
            return may_touch(who("trsmBatched"),
                             {matrix_of("A[i]", a[k], side_a, side_a, lda), matrix_of("B[i]", b[k], m, n, ldb)});
        };
        for (std::int64_t k = 0; k < batches && there(k); ++k)
            call(routine,
                 std::make_tuple(*s, *f, *o, *d, *rows, *columns, alpha, a[k], *la, static_cast<const T*>(b[k]), *lb));
    });
}

}  // namespace warpwright::libraries::impl
