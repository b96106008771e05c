// Algorithms: there is one, so a heuristic has one result and the ways to configure it have no effect. And what has no
// product: changes of a matrix's form, versions, logs (nothing is logged).
#include <algorithm>
#include <atomic>

#include "cudart/state/runtime.hpp"
#include "libraries/cublasLt/functions.hpp"
#include "libraries/cublasLt/product.hpp"

namespace warpwright::libraries::lt_impl {
namespace {

constexpr int kOnlyAlgorithm = 0;

/// What is known of the only algorithm for this product.
cublasLtMatmulHeuristicResult_t result_of(const lt::Request& request, bool say) {
    cublasLtMatmulHeuristicResult_t result{};
    lt::Plan plan;
    result.state = lt::plan(request, plan, say);
    lt::write(result.algo, lt::Algorithm{});
    int device = 0, multiprocessors = 0;
    (void)cudart::impl::cudaGetDevice(&device);
    if (cudart::impl::cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device) == cudaSuccess &&
        multiprocessors > 0)
        result.wavesCount =
            static_cast<float>(plan.tiles) * static_cast<float>(plan.batches) / static_cast<float>(multiprocessors);
    return result;
}

std::atomic<size_t> capacity_of_cache{8192};  ///< kept and given back

}  // namespace

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc,
                                              cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                              cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                              cublasLtMatmulPreference_t preference, int wanted,
                                              cublasLtMatmulHeuristicResult_t* results, int* found) {
    if (!lt::is_context(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!results || !found || wanted < 1 || !lt::read(preference)) return CUBLAS_STATUS_INVALID_VALUE;
    *found = 0;
    const auto result = result_of({lt::read(desc), lt::read(a), lt::read(b), lt::read(c), lt::read(d)}, true);
    if (result.state != CUBLAS_STATUS_SUCCESS) return result.state;
    results[0] = result;
    *found = 1;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulAlgoGetIds(cublasLtHandle_t handle, cublasComputeType_t, cudaDataType, cudaDataType,
                                        cudaDataType, cudaDataType, cudaDataType, int wanted, int* ids, int* found) {
    if (!lt::is_context(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!ids || !found || wanted < 1) return CUBLAS_STATUS_INVALID_VALUE;
    ids[0] = kOnlyAlgorithm;
    *found = 1;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulAlgoInit(cublasLtHandle_t handle, cublasComputeType_t, cudaDataType, cudaDataType,
                                      cudaDataType, cudaDataType, cudaDataType, int id, cublasLtMatmulAlgo_t* algo) {
    if (!lt::is_context(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!algo || id != kOnlyAlgorithm) return CUBLAS_STATUS_INVALID_VALUE;
    lt::write(*algo, lt::Algorithm{});
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulAlgoCheck(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc, cublasLtMatrixLayout_t a,
                                       cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                       const cublasLtMatmulAlgo_t* algo, cublasLtMatmulHeuristicResult_t* result) {
    if (!lt::is_context(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
    const auto known = lt::read(algo);
    if (!known || !result) return CUBLAS_STATUS_INVALID_VALUE;
    *result = result_of({lt::read(desc), lt::read(a), lt::read(b), lt::read(c), lt::read(d)}, false);
    lt::write(result->algo, *known);
    return result->state;
}

cublasStatus_t cublasLtMatrixTransform(cublasLtHandle_t handle, cublasLtMatrixTransformDesc_t desc, const void* alpha,
                                       const void* a, cublasLtMatrixLayout_t a_layout, const void* beta, const void* b,
                                       cublasLtMatrixLayout_t b_layout, void* c, cublasLtMatrixLayout_t c_layout,
                                       cudaStream_t stream) {
    if (!lt::is_context(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
    const auto how = lt::read(desc);
    const auto from = lt::read(a_layout), to = lt::read(c_layout);
    const auto second = b ? lt::read(b_layout) : from;
    if (!how || !from || !to || !second || !alpha || (b && !beta) || !a || !c) return CUBLAS_STATUS_INVALID_VALUE;
    for (const auto* l : {&*from, &*second, &*to})
        if (l->order > CUBLASLT_ORDER_ROW || l->batch_mode != CUBLASLT_BATCH_MODE_STRIDED ||
            !lt::is_known(static_cast<int>(l->type)))
            return lt::not_supported("a change to or from this type or order of elements");
    const auto x = lt::operand(*from, a, how->op_a), y = lt::operand(*second, b, b ? how->op_b : how->op_a);
    const auto z = lt::operand(*to, c, CUBLAS_OP_N);
    if (!x || !y || !z || x->rows != z->rows || x->columns != z->columns || y->rows != z->rows ||
        y->columns != z->columns || from->batch_count != to->batch_count || second->batch_count != to->batch_count)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (how->pointers > CUBLASLT_POINTER_MODE_DEVICE) return lt::not_supported("a change with a factor for each row");
    const char* name = how->scale == CUDA_R_64F   ? "f64"
                       : how->scale == CUDA_R_32I ? "i32"
                       : how->scale == CUDA_C_32F ? "c32"
                       : how->scale == CUDA_C_64F ? "c64"
                                                  : "f32";
    const bool on_device = how->pointers == CUBLASLT_POINTER_MODE_DEVICE;
    ww_lt::Change change{static_cast<long long>(z->rows),
                         static_cast<long long>(z->columns),
                         to->batch_count,
                         x->matrix,
                         y->matrix,
                         z->matrix,
                         lt::factor(alpha, how->scale, on_device, false, 0),
                         b ? lt::factor(beta, how->scale, on_device, false, 0) : lt::no_factor()};
    const std::uint64_t all = z->rows * z->columns;
    if (all == 0) return CUBLAS_STATUS_SUCCESS;
    const auto blocks =
        static_cast<unsigned>(std::min<std::uint64_t>((all + ww_lt::kThreads - 1) / ww_lt::kThreads, 1 << 16));
    return lt::launch(std::string("lt_change_") + name, dim3(blocks), &change, stream);
}

cublasStatus_t cublasLtGetProperty(libraryPropertyType type, int* value) {
    if (!value || type < MAJOR_VERSION || type > PATCH_LEVEL) return CUBLAS_STATUS_INVALID_VALUE;
    *value = type == MAJOR_VERSION                                     ? WARPWRIGHT_LIBRARY_MAJOR
             : type == MINOR_VERSION && WARPWRIGHT_LIBRARY_MAJOR == 12 ? 9
                                                                       : 0;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtHeuristicsCacheGetCapacity(size_t* capacity) {
    if (!capacity) return CUBLAS_STATUS_INVALID_VALUE;
    *capacity = capacity_of_cache;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtHeuristicsCacheSetCapacity(size_t capacity) {
    capacity_of_cache = capacity;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtLoggerSetLevel(int level) {
    return level >= 0 && level <= 5 ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}
cublasStatus_t cublasLtLoggerSetMask(int) { return CUBLAS_STATUS_SUCCESS; }
cublasStatus_t cublasLtLoggerForceDisable() { return CUBLAS_STATUS_SUCCESS; }

}  // namespace warpwright::libraries::lt_impl
