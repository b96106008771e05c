// Handles and their settings.
#include "libraries/cublas/context.hpp"

#include "cudart/api/api.hpp"
#include "cudart/memory/memory_table.hpp"
#include "libraries/cublas/impl.hpp"
#include "support/handle_table.hpp"

namespace warpwright::libraries {
namespace {

HandleTable<cublasHandle_t, cublasContext>& contexts() {
    static auto* all = new HandleTable<cublasHandle_t, cublasContext>;
    return *all;
}
cublasLogCallback log_callback = nullptr;

template <class T, class V>
cublasStatus_t give(T* to, V value) {
    if (!to) return CUBLAS_STATUS_INVALID_VALUE;
    *to = static_cast<T>(value);
    return CUBLAS_STATUS_SUCCESS;
}
template <class T>
cublasStatus_t set(T& to, T value, bool good = true) {
    if (!good) return CUBLAS_STATUS_INVALID_VALUE;
    to = value;
    return CUBLAS_STATUS_SUCCESS;
}

}  // namespace

std::shared_ptr<cublasContext> context_of(cublasHandle_t handle) { return contexts().find(handle); }

namespace impl {

cublasStatus_t cublasCreate_v2(cublasHandle_t* handle) {
    if (!handle) return CUBLAS_STATUS_INVALID_VALUE;
    const auto made = std::make_shared<cublasContext>();
    if (auto e = cudart::impl::cudaMalloc(&made->parts, kPartBytes); e != cudaSuccess)
        return e == cudaErrorMemoryAllocation ? CUBLAS_STATUS_ALLOC_FAILED : CUBLAS_STATUS_NOT_INITIALIZED;
    cudart::MemoryTable::get().set_own_of_library(made->parts);
    *handle = made->handle = contexts().add(made);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasDestroy(cublasHandle_t handle) {
    if (!contexts().take(handle->handle)) return CUBLAS_STATUS_NOT_INITIALIZED;  // another thread was first
    (void)cudart::impl::cudaFree(handle->parts);
    return CUBLAS_STATUS_SUCCESS;
}

constexpr int kVersion[] = {WARPWRIGHT_LIBRARY_MAJOR, WARPWRIGHT_LIBRARY_MAJOR == 13 ? 0 : 9, 0};

cublasStatus_t cublasGetVersion_v2(cublasHandle_t, int* version) {
    return give(version, kVersion[0] * 10000 + kVersion[1] * 100 + kVersion[2]);
}
cublasStatus_t cublasGetProperty(libraryPropertyType type, int* value) {
    if (type < MAJOR_VERSION || type > PATCH_LEVEL) return CUBLAS_STATUS_INVALID_VALUE;
    return give(value, kVersion[type]);
}

// A program's own workspace is not needed: the kernels have none but a few kilobytes.
cublasStatus_t cublasSetWorkspace(cublasHandle_t, void* workspace, size_t bytes) {
    const bool aligned = reinterpret_cast<std::uintptr_t>(workspace) % 256 == 0;
    return aligned && (workspace || bytes == 0) ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}
cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t stream) { return set(handle->stream, stream); }
cublasStatus_t cublasGetStream(cublasHandle_t handle, cudaStream_t* stream) { return give(stream, handle->stream); }
cublasStatus_t cublasSetPointerMode(cublasHandle_t handle, cublasPointerMode_t mode) {
    return set(handle->pointers, mode, mode == CUBLAS_POINTER_MODE_HOST || mode == CUBLAS_POINTER_MODE_DEVICE);
}
cublasStatus_t cublasGetPointerMode(cublasHandle_t handle, cublasPointerMode_t* mode) {
    return give(mode, handle->pointers);
}
cublasStatus_t cublasSetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t mode) {
    return set(handle->atomics, mode, mode == CUBLAS_ATOMICS_NOT_ALLOWED || mode == CUBLAS_ATOMICS_ALLOWED);
}
cublasStatus_t cublasGetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t* mode) {
    return give(mode, handle->atomics);
}
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode) { return set(handle->math, mode); }
cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t* mode) { return give(mode, handle->math); }
cublasStatus_t cublasSetSmCountTarget(cublasHandle_t handle, int count) {
    return set(handle->multiprocessors, count, count >= 0);
}
cublasStatus_t cublasGetSmCountTarget(cublasHandle_t handle, int* count) {
    return give(count, handle->multiprocessors);
}
// Nothing is logged; that a program asks for it does no harm.
cublasStatus_t cublasLoggerConfigure(int, int, int, const char*) { return CUBLAS_STATUS_SUCCESS; }
cublasStatus_t cublasSetLoggerCallback(cublasLogCallback callback) { return set(log_callback, callback); }
cublasStatus_t cublasGetLoggerCallback(cublasLogCallback* callback) { return give(callback, log_callback); }

}  // namespace impl
}  // namespace warpwright::libraries

extern "C" {

__attribute__((visibility("default"))) size_t cublasGetCudartVersion() { return WARPWRIGHT_LIBRARY_MAJOR * 1000; }

__attribute__((visibility("default"))) const char* cublasGetStatusName(cublasStatus_t status) {
    return warpwright::libraries::status_name(status);
}
__attribute__((visibility("default"))) const char* cublasGetStatusString(cublasStatus_t status) {
    return cublasGetStatusName(status);
}
}
