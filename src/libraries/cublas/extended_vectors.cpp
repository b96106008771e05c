// Functions of vectors with the types of their numbers as parameters.
#include "libraries/cublas/impl.hpp"
#include "libraries/cublas/level1.hpp"

namespace warpwright::libraries::impl {
namespace {

/// Numbers of 16 bits: their arithmetic is in float, and so are scalars.
template <cudaDataType type>
struct Stored {
    std::uint16_t bits;
};
using Half = Stored<CUDA_R_16F>;
using Bfloat16 = Stored<CUDA_R_16BF>;

/// A type of number: what computes it, what scalars are, and what a norm is.
template <class T>
struct Number {
    using scalar = T;
    using norm = Real<T>;
    static std::string kernel(const char* name) { return std::string("blas_") + name + "_" + Names<T>::type; }
    static std::string norm_end() { return std::string("blas_nrm2_end_") + Names<Real<T>>::type; }
};
template <cudaDataType type>
struct Number<Stored<type>> {
    using scalar = float;
    using norm = Stored<type>;
    static constexpr const char* kName = type == CUDA_R_16F ? "f16" : "bf16";
    static std::string kernel(const char* name) { return std::string("blas_") + name + "_" + kName; }
    static std::string norm_end() { return kernel("nrm2_end"); }
};

/// The type's number, as it is named, and that of its scalars.
template <class T>
constexpr cudaDataType kType = std::is_same_v<T, float>       ? CUDA_R_32F
                               : std::is_same_v<T, double>    ? CUDA_R_64F
                               : std::is_same_v<T, cuComplex> ? CUDA_C_32F
                                                              : CUDA_C_64F;
template <cudaDataType type>
constexpr cudaDataType kType<Stored<type>> = type;

/// Calls `with` with a null pointer of the type that all these are of.
template <class With>
cublasStatus_t of_type(cudaDataType type, With with) {
    switch (type) {
        case CUDA_R_32F:
            return with(static_cast<float*>(nullptr));
        case CUDA_R_64F:
            return with(static_cast<double*>(nullptr));
        case CUDA_C_32F:
            return with(static_cast<cuComplex*>(nullptr));
        case CUDA_C_64F:
            return with(static_cast<cuDoubleComplex*>(nullptr));
        case CUDA_R_16F:
            return with(static_cast<Half*>(nullptr));
        case CUDA_R_16BF:
            return with(static_cast<Bfloat16*>(nullptr));
        default:
            return CUBLAS_STATUS_NOT_SUPPORTED;
    }
}

template <class T>
constexpr bool is_scalar(cudaDataType type) {
    return type == kType<typename Number<T>::scalar>;
}

cublasStatus_t dot(cublasHandle_t h, std::int64_t n, const void* x, cudaDataType type_x, std::int64_t incx,
                   const void* y, cudaDataType type_y, std::int64_t incy, void* result, cudaDataType type,
                   cudaDataType execution, int conjugated) {
    if (type_x != type_y || type_x != type) return CUBLAS_STATUS_NOT_SUPPORTED;
    return of_type(type, [&]<class T>(T*) {
        if (!is_scalar<T>(execution)) return CUBLAS_STATUS_NOT_SUPPORTED;
        return reduce(*h, Number<T>::kernel("dot"), Number<T>::kernel("dot_end"), n, static_cast<T*>(result),
                      first(static_cast<const T*>(x), n, incx), incx, first(static_cast<const T*>(y), n, incy), incy,
                      conjugated);
    });
}

}  // namespace

#define WW_EX(Int)                                                                                                    \
    cublasStatus_t cublasDotEx(cublasHandle_t h, Int n, const void* x, cudaDataType type_x, Int incx, const void* y,  \
                               cudaDataType type_y, Int incy, void* result, cudaDataType type,                        \
                               cudaDataType execution) {                                                              \
        return dot(h, n, x, type_x, incx, y, type_y, incy, result, type, execution, 0);                               \
    }                                                                                                                 \
    cublasStatus_t cublasDotcEx(cublasHandle_t h, Int n, const void* x, cudaDataType type_x, Int incx, const void* y, \
                                cudaDataType type_y, Int incy, void* result, cudaDataType type,                       \
                                cudaDataType execution) {                                                             \
        return dot(h, n, x, type_x, incx, y, type_y, incy, result, type, execution, 1);                               \
    }                                                                                                                 \
    cublasStatus_t cublasNrm2Ex(cublasHandle_t h, Int n, const void* x, cudaDataType type_x, Int incx, void* result,  \
                                cudaDataType type, cudaDataType execution) {                                          \
        return of_type(type_x, [&]<class T>(T*) {                                                                     \
            using R = typename Number<T>::norm;                                                                       \
            if (type != kType<R> || execution != kType<Real<typename Number<T>::scalar>>)                             \
                return CUBLAS_STATUS_NOT_SUPPORTED;                                                                   \
            return reduce(*h, Number<T>::kernel("nrm2"), Number<T>::norm_end(), incx > 0 ? std::int64_t{n} : 0,       \
                          static_cast<R*>(result), static_cast<const T*>(x), std::int64_t{incx});                     \
        });                                                                                                           \
    }                                                                                                                 \
    cublasStatus_t cublasAxpyEx(cublasHandle_t h, Int n, const void* alpha, cudaDataType type_alpha, const void* x,   \
                                cudaDataType type_x, Int incx, void* y, cudaDataType type_y, Int incy,                \
                                cudaDataType execution) {                                                             \
        if (!alpha) return CUBLAS_STATUS_INVALID_VALUE;                                                               \
        if (type_x != type_y) return CUBLAS_STATUS_NOT_SUPPORTED;                                                     \
        return of_type(type_x, [&]<class T>(T*) {                                                                     \
            using S = typename Number<T>::scalar;                                                                     \
            if (!is_scalar<T>(type_alpha) || !is_scalar<T>(execution)) return CUBLAS_STATUS_NOT_SUPPORTED;            \
            if (n <= 0) return CUBLAS_STATUS_SUCCESS;                                                                 \
            return launch(*h, Number<T>::kernel("axpy"), blocks(n), std::int64_t{n},                                  \
                          Scalar(*h, static_cast<const S*>(alpha)), first(static_cast<const T*>(x), n, incx),         \
                          std::int64_t{incx}, first(static_cast<T*>(y), n, incy), std::int64_t{incy});                \
        });                                                                                                           \
    }                                                                                                                 \
    cublasStatus_t cublasScalEx(cublasHandle_t h, Int n, const void* alpha, cudaDataType type_alpha, void* x,         \
                                cudaDataType type_x, Int incx, cudaDataType execution) {                              \
        if (!alpha) return CUBLAS_STATUS_INVALID_VALUE;                                                               \
        return of_type(type_x, [&]<class T>(T*) {                                                                     \
            using S = typename Number<T>::scalar;                                                                     \
            if (!is_scalar<T>(type_alpha) || !is_scalar<T>(execution)) return CUBLAS_STATUS_NOT_SUPPORTED;            \
            if (n <= 0 || incx <= 0) return CUBLAS_STATUS_SUCCESS;                                                    \
            return launch(*h, Number<T>::kernel("scal"), blocks(n), std::int64_t{n},                                  \
                          Scalar(*h, static_cast<const S*>(alpha)), static_cast<T*>(x), std::int64_t{incx});          \
        });                                                                                                           \
    }
WW_EX(int)
WW_EX(std::int64_t)
#undef WW_EX

}  // namespace warpwright::libraries::impl
