// Vectors and matrices between host and device.
#include "cudart/api/api.hpp"
#include "libraries/cublas/impl.hpp"

namespace warpwright::libraries::impl {
namespace {

/// `rows` pieces of `width` bytes, so far apart on either side.
cublasStatus_t move(std::int64_t rows, std::int64_t width, const void* from, std::int64_t from_pitch, void* to,
                    std::int64_t to_pitch, cudaMemcpyKind kind, const cudaStream_t* stream) {
    if (rows < 0 || width < 0 || from_pitch <= 0 || to_pitch <= 0 || from_pitch < width || to_pitch < width)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (rows == 0 || width == 0) return CUBLAS_STATUS_SUCCESS;
    const auto size = [](std::int64_t n) { return static_cast<std::size_t>(n); };
    const bool whole = from_pitch == width && to_pitch == width;
    cudaError_t e;
    if (stream)
        e = whole ? cudart::impl::cudaMemcpyAsync(to, from, size(rows * width), kind, *stream)
                  : cudart::impl::cudaMemcpy2DAsync(to, size(to_pitch), from, size(from_pitch), size(width), size(rows),
                                                    kind, *stream);
    else
        e = whole
                ? cudart::impl::cudaMemcpy(to, from, size(rows * width), kind)
                : cudart::impl::cudaMemcpy2D(to, size(to_pitch), from, size(from_pitch), size(width), size(rows), kind);
    return e == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_MAPPING_ERROR;
}

}  // namespace

#define WW_VECTORS(name, Int, kind, parameter, stream)                                                     \
    cublasStatus_t name(Int n, Int bytes, const void* x, Int incx, void* y, Int incy parameter) {          \
        return move(n, bytes, x, std::int64_t{incx} * bytes, y, std::int64_t{incy} * bytes, kind, stream); \
    }
#define WW_MATRICES(name, Int, kind, parameter, stream)                                                              \
    cublasStatus_t name(Int rows, Int columns, Int bytes, const void* a, Int lda, void* b, Int ldb parameter) {      \
        return move(columns, std::int64_t{rows} * bytes, a, std::int64_t{lda} * bytes, b, std::int64_t{ldb} * bytes, \
                    kind, stream);                                                                                   \
    }
#define WW_COMMA ,
#define WW_MOVES(Int)                                                                                     \
    WW_VECTORS(cublasSetVector, Int, cudaMemcpyHostToDevice, , nullptr)                                   \
    WW_VECTORS(cublasGetVector, Int, cudaMemcpyDeviceToHost, , nullptr)                                   \
    WW_MATRICES(cublasSetMatrix, Int, cudaMemcpyHostToDevice, , nullptr)                                  \
    WW_MATRICES(cublasGetMatrix, Int, cudaMemcpyDeviceToHost, , nullptr)                                  \
    WW_VECTORS(cublasSetVectorAsync, Int, cudaMemcpyHostToDevice, WW_COMMA cudaStream_t stream, &stream)  \
    WW_VECTORS(cublasGetVectorAsync, Int, cudaMemcpyDeviceToHost, WW_COMMA cudaStream_t stream, &stream)  \
    WW_MATRICES(cublasSetMatrixAsync, Int, cudaMemcpyHostToDevice, WW_COMMA cudaStream_t stream, &stream) \
    WW_MATRICES(cublasGetMatrixAsync, Int, cudaMemcpyDeviceToHost, WW_COMMA cudaStream_t stream, &stream)
WW_MOVES(int)
WW_MOVES(std::int64_t)

}  // namespace warpwright::libraries::impl
