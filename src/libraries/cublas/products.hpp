// Levels 2 and 3 as far as kernels of ours compute them: products, sums and scalings of matrices.
#pragma once

#include <algorithm>
#include <limits>

#include "libraries/cublas/level1.hpp"

namespace warpwright::libraries::impl {

inline bool is_operation(cublasOperation_t op) { return op >= CUBLAS_OP_N && op <= CUBLAS_OP_CONJG; }
inline bool turned(cublasOperation_t op) { return op == CUBLAS_OP_T || op == CUBLAS_OP_C; }
inline bool conjugated(cublasOperation_t op) { return op == CUBLAS_OP_C || op == CUBLAS_OP_CONJG; }

/// A side that the kernels can count: theirs are 32-bit numbers.
inline bool countable(std::int64_t size) { return size >= 0 && size <= std::numeric_limits<int>::max(); }
inline bool leading(std::int64_t ld, std::int64_t rows) { return ld >= std::max<std::int64_t>(1, rows); }

/// An operand op(A) of a product: how far its rows, columns and the matrices of a batch are apart. With `arrays`, the
/// pointer is one to pointers.
struct Operand {
    const void* at = nullptr;
    std::int64_t ld = 0;
    cublasOperation_t op = CUBLAS_OP_N;
    std::int64_t batch = 0;
    std::int64_t row() const { return turned(op) ? ld : 1; }
    std::int64_t column() const { return turned(op) ? 1 : ld; }
};

struct Product {
    std::int64_t m, n, k;
    Operand a, b;
    void* c;
    std::int64_t ldc, c_batch = 0, batches = 1;
    bool arrays = false;

    bool valid() const {
        return is_operation(a.op) && is_operation(b.op) && countable(m) && countable(n) && countable(k) &&
               countable(batches) && leading(a.ld, turned(a.op) ? k : m) && leading(b.ld, turned(b.op) ? n : k) &&
               leading(ldc, m);
    }
};

template <class S>
cublasStatus_t multiply(const cublasContext& context, const char* types, const Product& p, Scalar<S> alpha,
                        Scalar<S> beta) {
    if (!p.valid()) return CUBLAS_STATUS_INVALID_VALUE;
    if (p.m == 0 || p.n == 0 || p.batches == 0) return CUBLAS_STATUS_SUCCESS;
    const std::int64_t tile = types[0] == 'c' ? 32 : 64;  // as in products.cu
    const std::int64_t tiles = (p.m + tile - 1) / tile * ((p.n + tile - 1) / tile);
    if (!countable(tiles)) return CUBLAS_STATUS_NOT_SUPPORTED;
    const dim3 grid(static_cast<unsigned>(tiles), 1, static_cast<unsigned>(std::min<std::int64_t>(p.batches, 65535)));
    return launch(context, std::string("blas_gemm_") + types, grid, static_cast<int>(p.m), static_cast<int>(p.n),
                  static_cast<int>(p.k), alpha, p.a.at, p.a.row(), p.a.column(), p.a.batch,
                  static_cast<int>(conjugated(p.a.op)), p.b.at, p.b.row(), p.b.column(), p.b.batch,
                  static_cast<int>(conjugated(p.b.op)), beta, p.c, p.ldc, p.c_batch, static_cast<int>(p.arrays),
                  static_cast<int>(p.batches));
}

template <class T>
cublasStatus_t gemm(cublasHandle_t h, cublasOperation_t op_a, cublasOperation_t op_b, std::int64_t m, std::int64_t n,
                    std::int64_t k, Scalar<T> alpha, const T* a, std::int64_t lda, const T* b, std::int64_t ldb,
                    Scalar<T> beta, T* c, std::int64_t ldc) {
    return multiply(*h, Names<T>::type, {m, n, k, {a, lda, op_a}, {b, ldb, op_b}, c, ldc}, alpha, beta);
}
template <class T>
cublasStatus_t gemm_batched(cublasHandle_t h, cublasOperation_t op_a, cublasOperation_t op_b, std::int64_t m,
                            std::int64_t n, std::int64_t k, Scalar<T> alpha, const T* const* a, std::int64_t lda,
                            const T* const* b, std::int64_t ldb, Scalar<T> beta, T* const* c, std::int64_t ldc,
                            std::int64_t batches) {
    return multiply(*h, Names<T>::type,
                    {m, n, k, {a, lda, op_a}, {b, ldb, op_b}, const_cast<T**>(c), ldc, 0, batches, true}, alpha, beta);
}
template <class T>
cublasStatus_t gemm_strided(cublasHandle_t h, cublasOperation_t op_a, cublasOperation_t op_b, std::int64_t m,
                            std::int64_t n, std::int64_t k, Scalar<T> alpha, const T* a, std::int64_t lda,
                            std::int64_t stride_a, const T* b, std::int64_t ldb, std::int64_t stride_b, Scalar<T> beta,
                            T* c, std::int64_t ldc, std::int64_t stride_c, std::int64_t batches) {
    return multiply(*h, Names<T>::type,
                    {m, n, k, {a, lda, op_a, stride_a}, {b, ldb, op_b, stride_b}, c, ldc, stride_c, batches}, alpha,
                    beta);
}

template <class T>
cublasStatus_t gemv_any(cublasHandle_t h, std::int64_t m, std::int64_t n, Scalar<T> alpha, const Operand& a,
                        const void* x, std::int64_t incx, std::int64_t x_batch, Scalar<T> beta, void* y,
                        std::int64_t incy, std::int64_t y_batch, std::int64_t batches, bool arrays) {
    if (!is_operation(a.op) || !countable(m) || !countable(n) || !countable(batches) || !leading(a.ld, m) ||
        incx == 0 || incy == 0)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (arrays && (incx < 0 || incy < 0)) return CUBLAS_STATUS_NOT_SUPPORTED;
    const bool across = turned(a.op);
    const std::int64_t rows = across ? n : m, columns = across ? m : n;
    if (rows == 0 || batches == 0) return CUBLAS_STATUS_SUCCESS;
    dim3 grid = blocks(across ? rows * 32 : rows, std::numeric_limits<int>::max());
    grid.z = static_cast<unsigned>(std::min<std::int64_t>(batches, 65535));
    return launch(*h, kernel<T>("gemv"), grid, static_cast<int>(rows), static_cast<int>(columns), alpha, a.at, a.row(),
                  a.column(), a.batch, static_cast<int>(conjugated(a.op)),
                  static_cast<const void*>(first(static_cast<const T*>(x), columns, incx)), incx, x_batch, beta,
                  static_cast<void*>(first(static_cast<T*>(y), rows, incy)), incy, y_batch, static_cast<int>(across),
                  static_cast<int>(arrays), static_cast<int>(batches));
}
template <class T>
cublasStatus_t gemv(cublasHandle_t h, cublasOperation_t op, std::int64_t m, std::int64_t n, Scalar<T> alpha, const T* a,
                    std::int64_t lda, const T* x, std::int64_t incx, Scalar<T> beta, T* y, std::int64_t incy) {
    return gemv_any(h, m, n, alpha, {a, lda, op}, x, incx, 0, beta, y, incy, 0, 1, false);
}
template <class T>
cublasStatus_t gemv_batched(cublasHandle_t h, cublasOperation_t op, std::int64_t m, std::int64_t n, Scalar<T> alpha,
                            const T* const* a, std::int64_t lda, const T* const* x, std::int64_t incx, Scalar<T> beta,
                            T* const* y, std::int64_t incy, std::int64_t batches) {
    return gemv_any(h, m, n, alpha, {a, lda, op}, x, incx, 0, beta, const_cast<T**>(y), incy, 0, batches, true);
}
template <class T>
cublasStatus_t gemv_strided(cublasHandle_t h, cublasOperation_t op, std::int64_t m, std::int64_t n, Scalar<T> alpha,
                            const T* a, std::int64_t lda, std::int64_t stride_a, const T* x, std::int64_t incx,
                            std::int64_t stride_x, Scalar<T> beta, T* y, std::int64_t incy, std::int64_t stride_y,
                            std::int64_t batches) {
    return gemv_any(h, m, n, alpha, {a, lda, op, stride_a}, x, incx, stride_x, beta, y, incy, stride_y, batches, false);
}

template <class T>
cublasStatus_t ger_any(cublasHandle_t h, std::int64_t m, std::int64_t n, Scalar<T> alpha, const T* x, std::int64_t incx,
                       const T* y, std::int64_t incy, T* a, std::int64_t lda, int conjugate) {
    if (!countable(m) || !countable(n) || !leading(lda, m) || incx == 0 || incy == 0)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (m == 0 || n == 0) return CUBLAS_STATUS_SUCCESS;
    return launch(*h, kernel<T>("ger"), blocks(m * n), static_cast<int>(m), static_cast<int>(n), alpha,
                  first(x, m, incx), incx, first(y, n, incy), incy, conjugate, a, lda);
}
template <class T, class... A>
cublasStatus_t geru(cublasHandle_t h, std::int64_t m, std::int64_t n, Scalar<T> alpha, A... rest) {
    return ger_any<T>(h, m, n, alpha, rest..., 0);
}
template <class T, class... A>
cublasStatus_t gerc(cublasHandle_t h, std::int64_t m, std::int64_t n, Scalar<T> alpha, A... rest) {
    return ger_any<T>(h, m, n, alpha, rest..., 1);
}

template <class T>
cublasStatus_t geam(cublasHandle_t h, cublasOperation_t op_a, cublasOperation_t op_b, std::int64_t m, std::int64_t n,
                    Scalar<T> alpha, const T* a, std::int64_t lda, Scalar<T> beta, const T* b, std::int64_t ldb, T* c,
                    std::int64_t ldc) {
    const Operand x{a, lda, op_a}, y{b, ldb, op_b};
    if (!is_operation(op_a) || !is_operation(op_b) || !countable(m) || !countable(n) || !leading(ldc, m) ||
        !leading(lda, turned(op_a) ? n : m) || !leading(ldb, turned(op_b) ? n : m))
        return CUBLAS_STATUS_INVALID_VALUE;
    // In place only as it lies.
    if ((c == a && turned(op_a)) || (c == b && turned(op_b))) return CUBLAS_STATUS_INVALID_VALUE;
    if (m == 0 || n == 0) return CUBLAS_STATUS_SUCCESS;
    return launch(*h, kernel<T>("geam"), blocks(m * n), static_cast<int>(m), static_cast<int>(n), alpha, a, x.row(),
                  x.column(), static_cast<int>(conjugated(op_a)), beta, b, y.row(), y.column(),
                  static_cast<int>(conjugated(op_b)), c, ldc);
}

template <class T>
cublasStatus_t dgmm(cublasHandle_t h, cublasSideMode_t side, std::int64_t m, std::int64_t n, const T* a,
                    std::int64_t lda, const T* x, std::int64_t incx, T* c, std::int64_t ldc) {
    if (!countable(m) || !countable(n) || !leading(lda, m) || !leading(ldc, m)) return CUBLAS_STATUS_INVALID_VALUE;
    if (m == 0 || n == 0) return CUBLAS_STATUS_SUCCESS;
    const bool left = side == CUBLAS_SIDE_LEFT;
    return launch(*h, kernel<T>("dgmm"), blocks(m * n), static_cast<int>(left), static_cast<int>(m),
                  static_cast<int>(n), a, lda, first(x, left ? m : n, incx), incx, c, ldc);
}

}  // namespace warpwright::libraries::impl
