// Products with the types of their numbers as parameters.
#include "libraries/cublas/impl.hpp"
#include "libraries/cublas/products.hpp"

namespace warpwright::libraries::impl {
namespace {

/// The bits of a half: a scalar where the arithmetic is in halves.
using Half = std::uint16_t;

enum class ScalarType { f16, f32, f64, i32, c32, c64 };

/// A kernel for these types: those of A and B, of C, the arithmetic, and its name in products.cu.
struct Known {
    cudaDataType ab, c;
    cublasComputeType_t compute;
    const char* kernel;
    ScalarType scalar;
};
constexpr Known kKnown[] = {
    {CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F, "f32", ScalarType::f32},
    {CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F, "f64", ScalarType::f64},
    {CUDA_C_32F, CUDA_C_32F, CUBLAS_COMPUTE_32F, "c32", ScalarType::c32},
    {CUDA_C_64F, CUDA_C_64F, CUBLAS_COMPUTE_64F, "c64", ScalarType::c64},
    {CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_16F, "f16_scale", ScalarType::f16},
    {CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_32F, "f16", ScalarType::f32},
    {CUDA_R_16F, CUDA_R_32F, CUBLAS_COMPUTE_32F, "f16_f32", ScalarType::f32},
    {CUDA_R_16BF, CUDA_R_16BF, CUBLAS_COMPUTE_32F, "bf16", ScalarType::f32},
    {CUDA_R_16BF, CUDA_R_32F, CUBLAS_COMPUTE_32F, "bf16_f32", ScalarType::f32},
    {CUDA_R_8I, CUDA_R_32I, CUBLAS_COMPUTE_32I, "i8_i32", ScalarType::i32},
    {CUDA_R_8I, CUDA_R_32F, CUBLAS_COMPUTE_32F, "i8_f32", ScalarType::f32},
};

/// Ways to compute as far as results are concerned: the fast ones may be as exact as the others.
cublasComputeType_t plain(int compute) {
    switch (compute) {
        case CUBLAS_COMPUTE_16F_PEDANTIC:
            return CUBLAS_COMPUTE_16F;
        case CUBLAS_COMPUTE_32F_PEDANTIC:
        case CUBLAS_COMPUTE_32F_FAST_16F:
        case CUBLAS_COMPUTE_32F_FAST_16BF:
        case CUBLAS_COMPUTE_32F_FAST_TF32:
        case CUBLAS_COMPUTE_32F_EMULATED_16BFX9:
        case CUDA_R_32F:  // programs from before CUDA 11 name a type of number
        case CUDA_C_32F:
            return CUBLAS_COMPUTE_32F;
        case CUBLAS_COMPUTE_64F_PEDANTIC:
        case CUBLAS_COMPUTE_64F_EMULATED_FIXEDPOINT:
        case CUDA_R_64F:
        case CUDA_C_64F:
            return CUBLAS_COMPUTE_64F;
        case CUBLAS_COMPUTE_32I_PEDANTIC:
        case CUDA_R_32I:
            return CUBLAS_COMPUTE_32I;
        case CUDA_R_16F:
            return CUBLAS_COMPUTE_16F;
        default:
            return static_cast<cublasComputeType_t>(compute);
    }
}

template <class T>
cublasStatus_t multiply(const cublasContext& context, const char* kernel, const Product& p, const void* alpha,
                        const void* beta) {
    return impl::multiply(context, kernel, p, Scalar(context, static_cast<const T*>(alpha)),
                          Scalar(context, static_cast<const T*>(beta)));
}

cublasStatus_t multiply(const cublasContext& context, const Product& p, cudaDataType a, cudaDataType b, cudaDataType c,
                        int compute, const void* alpha, const void* beta) {
    if (!alpha || !beta) return CUBLAS_STATUS_INVALID_VALUE;
    for (const auto& k : kKnown) {
        if (k.ab != a || k.ab != b || k.c != c || k.compute != plain(compute)) continue;
        switch (k.scalar) {
            case ScalarType::f16:
                return multiply<Half>(context, k.kernel, p, alpha, beta);
            case ScalarType::f32:
                return multiply<float>(context, k.kernel, p, alpha, beta);
            case ScalarType::f64:
                return multiply<double>(context, k.kernel, p, alpha, beta);
            case ScalarType::i32:
                return multiply<int>(context, k.kernel, p, alpha, beta);
            case ScalarType::c32:
                return multiply<cuComplex>(context, k.kernel, p, alpha, beta);
            case ScalarType::c64:
                return multiply<cuDoubleComplex>(context, k.kernel, p, alpha, beta);
        }
    }
    return CUBLAS_STATUS_NOT_SUPPORTED;
}

void** writable(void* const* pointers) { return const_cast<void**>(pointers); }

}  // namespace

#define WW_EX(Int)                                                                                                     \
    cublasStatus_t cublasGemmEx(cublasHandle_t h, cublasOperation_t op_a, cublasOperation_t op_b, Int m, Int n, Int k, \
                                const void* alpha, const void* a, cudaDataType type_a, Int lda, const void* b,         \
                                cudaDataType type_b, Int ldb, const void* beta, void* c, cudaDataType type_c, Int ldc, \
                                cublasComputeType_t compute, cublasGemmAlgo_t) {                                       \
        return multiply(*h, {m, n, k, {a, lda, op_a}, {b, ldb, op_b}, c, ldc}, type_a, type_b, type_c, compute, alpha, \
                        beta);                                                                                         \
    }                                                                                                                  \
    cublasStatus_t cublasGemmBatchedEx(cublasHandle_t h, cublasOperation_t op_a, cublasOperation_t op_b, Int m, Int n, \
                                       Int k, const void* alpha, const void* const a[], cudaDataType type_a, Int lda,  \
                                       const void* const b[], cudaDataType type_b, Int ldb, const void* beta,          \
                                       void* const c[], cudaDataType type_c, Int ldc, Int batches,                     \
                                       cublasComputeType_t compute, cublasGemmAlgo_t) {                                \
        return multiply(*h, {m, n, k, {a, lda, op_a}, {b, ldb, op_b}, writable(c), ldc, 0, batches, true}, type_a,     \
                        type_b, type_c, compute, alpha, beta);                                                         \
    }                                                                                                                  \
    cublasStatus_t cublasGemmStridedBatchedEx(                                                                         \
        cublasHandle_t h, cublasOperation_t op_a, cublasOperation_t op_b, Int m, Int n, Int k, const void* alpha,      \
        const void* a, cudaDataType type_a, Int lda, long long stride_a, const void* b, cudaDataType type_b, Int ldb,  \
        long long stride_b, const void* beta, void* c, cudaDataType type_c, Int ldc, long long stride_c, Int batches,  \
        cublasComputeType_t compute, cublasGemmAlgo_t) {                                                               \
        return multiply(*h, {m, n, k, {a, lda, op_a, stride_a}, {b, ldb, op_b, stride_b}, c, ldc, stride_c, batches},  \
                        type_a, type_b, type_c, compute, alpha, beta);                                                 \
    }
WW_EX(int)
WW_EX(std::int64_t)
#undef WW_EX

cublasStatus_t cublasSgemmEx(cublasHandle_t h, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n, int k,
                             const float* alpha, const void* a, cudaDataType type_a, int lda, const void* b,
                             cudaDataType type_b, int ldb, const float* beta, void* c, cudaDataType type_c, int ldc) {
    return multiply(*h, {m, n, k, {a, lda, op_a}, {b, ldb, op_b}, c, ldc}, type_a, type_b, type_c, CUBLAS_COMPUTE_32F,
                    alpha, beta);
}

cublasStatus_t cublasHgemm(cublasHandle_t h, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n, int k,
                           const __half* alpha, const __half* a, int lda, const __half* b, int ldb, const __half* beta,
                           __half* c, int ldc) {
    return multiply<Half>(*h, "f16_scale", {m, n, k, {a, lda, op_a}, {b, ldb, op_b}, c, ldc}, alpha, beta);
}
cublasStatus_t cublasHgemmBatched(cublasHandle_t h, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n, int k,
                                  const __half* alpha, const __half* const a[], int lda, const __half* const b[],
                                  int ldb, const __half* beta, __half* const c[], int ldc, int batches) {
    return multiply<Half>(*h, "f16_scale",
                          {m, n, k, {a, lda, op_a}, {b, ldb, op_b}, const_cast<__half**>(c), ldc, 0, batches, true},
                          alpha, beta);
}
cublasStatus_t cublasHgemmStridedBatched(cublasHandle_t h, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n,
                                         int k, const __half* alpha, const __half* a, int lda, long long stride_a,
                                         const __half* b, int ldb, long long stride_b, const __half* beta, __half* c,
                                         int ldc, long long stride_c, int batches) {
    return multiply<Half>(*h, "f16_scale",
                          {m, n, k, {a, lda, op_a, stride_a}, {b, ldb, op_b, stride_b}, c, ldc, stride_c, batches},
                          alpha, beta);
}

}  // namespace warpwright::libraries::impl
