// Level 1: vectors.
#pragma once

#include <type_traits>

#include "cudart/api/api.hpp"
#include "libraries/cublas/context.hpp"

namespace warpwright::libraries::impl {

/// Where the first element lies: with a negative stride, BLAS counts from the other end.
template <class T>
T* first(T* x, std::int64_t n, std::int64_t stride) {
    return stride < 0 ? x + (1 - n) * stride : x;
}
template <class T>
std::string kernel(const char* name) {
    return std::string("blas_") + name + "_" + Names<std::remove_const_t<T>>::type;
}

template <class T>
cublasStatus_t axpy(cublasHandle_t h, std::int64_t n, Scalar<T> alpha, const T* x, std::int64_t incx, T* y,
                    std::int64_t incy) {
    if (n <= 0) return CUBLAS_STATUS_SUCCESS;
    return launch(*h, kernel<T>("axpy"), blocks(n), n, alpha, first(x, n, incx), incx, first(y, n, incy), incy);
}

template <class S, class T>
cublasStatus_t scal(cublasHandle_t h, std::int64_t n, Scalar<S> alpha, T* x, std::int64_t incx) {
    if (n <= 0 || incx <= 0) return CUBLAS_STATUS_SUCCESS;
    return launch(*h, kernel<T>(std::is_same_v<S, T> ? "scal" : "scal_real"), blocks(n), n, alpha, x, incx);
}

template <class T>
cublasStatus_t copy(cublasHandle_t h, std::int64_t n, const T* x, std::int64_t incx, T* y, std::int64_t incy) {
    if (n <= 0) return CUBLAS_STATUS_SUCCESS;
    return launch(*h, kernel<T>("copy"), blocks(n), n, first(x, n, incx), incx, first(y, n, incy), incy);
}

template <class T>
cublasStatus_t swap(cublasHandle_t h, std::int64_t n, T* x, std::int64_t incx, T* y, std::int64_t incy) {
    if (n <= 0) return CUBLAS_STATUS_SUCCESS;
    return launch(*h, kernel<T>("swap"), blocks(n), n, first(x, n, incx), incx, first(y, n, incy), incy);
}

template <class T, class S>
cublasStatus_t rot(cublasHandle_t h, std::int64_t n, T* x, std::int64_t incx, T* y, std::int64_t incy,
                   Scalar<Real<T>> c, Scalar<S> s) {
    if (n <= 0) return CUBLAS_STATUS_SUCCESS;
    return launch(*h, kernel<T>(std::is_same_v<S, T> ? "rot" : "rot_real"), blocks(n), n, first(x, n, incx), incx,
                  first(y, n, incy), incy, c, s);
}

/// The last of the handle's partial results is the place of a result on its way to the host.
inline void* result_place(const cublasContext& context) { return static_cast<char*>(context.parts) + kPartBytes - 64; }

/// Brings a result of which `bytes` matter from there (or from nowhere: zeros) to where the program wants it.
inline cublasStatus_t deliver(const cublasContext& context, void* result, std::size_t bytes, bool zero) {
    cudaError_t e = cudaSuccess;
    void* const place = result_place(context);
    if (zero) e = cudart::impl::cudaMemsetAsync(place, 0, bytes, context.stream);
    if (e == cudaSuccess) e = cudart::impl::cudaMemcpyAsync(result, place, bytes, cudaMemcpyDefault, context.stream);
    if (e == cudaSuccess && context.pointers == CUBLAS_POINTER_MODE_HOST)
        e = cudart::impl::cudaStreamSynchronize(context.stream);
    return status_of(e);
}

/// Two launches: partial results of blocks, then all of them together.
template <class Out, class... A>
cublasStatus_t reduce(const cublasContext& context, const std::string& begin, const std::string& end, std::int64_t n,
                      Out* result, A... arguments) {
    if (!result) return CUBLAS_STATUS_INVALID_VALUE;
    if (n <= 0) return deliver(context, result, sizeof *result, true);
    const dim3 grid = blocks(n, kParts);
    if (auto s = launch(context, begin, grid, n, arguments..., context.parts); s != CUBLAS_STATUS_SUCCESS) return s;
    if (auto s = launch(context, end, dim3(1), context.parts, static_cast<int>(grid.x), result_place(context));
        s != CUBLAS_STATUS_SUCCESS)
        return s;
    return deliver(context, result, sizeof *result, false);
}

template <class T>
cublasStatus_t dotu(cublasHandle_t h, std::int64_t n, const T* x, std::int64_t incx, const T* y, std::int64_t incy,
                    T* result) {
    return reduce(*h, kernel<T>("dot"), kernel<T>("dot_end"), n, result, first(x, n, incx), incx, first(y, n, incy),
                  incy, 0);
}
template <class T>
cublasStatus_t dotc(cublasHandle_t h, std::int64_t n, const T* x, std::int64_t incx, const T* y, std::int64_t incy,
                    T* result) {
    return reduce(*h, kernel<T>("dot"), kernel<T>("dot_end"), n, result, first(x, n, incx), incx, first(y, n, incy),
                  incy, 1);
}

// A stride that is not positive gives 0, as in the reference implementation.
#define WW_OF_ONE_VECTOR(name)                                                                                 \
    template <class T, class R>                                                                                \
    cublasStatus_t name(cublasHandle_t h, std::int64_t n, const T* x, std::int64_t incx, R* result) {          \
        return reduce(*h, kernel<T>(#name), kernel<Real<T>>(#name "_end"), incx > 0 ? n : 0, result, x, incx); \
    }
WW_OF_ONE_VECTOR(nrm2)
WW_OF_ONE_VECTOR(asum)
WW_OF_ONE_VECTOR(amax)
WW_OF_ONE_VECTOR(amin)
#undef WW_OF_ONE_VECTOR

}  // namespace warpwright::libraries::impl
