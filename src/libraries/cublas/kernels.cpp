// The kernels of kernels/blas, which the build has compiled to PTX, as code of the process's device.
#include <map>
#include <mutex>

#include "cudart/api/api.hpp"
#include "libraries/cublas/context.hpp"

// Made by the build (CMakeLists.txt).
extern "C" const char ww_blas_vectors[], ww_blas_products[];

namespace warpwright::libraries {
namespace {

struct Code {
    const char* text;
    cudaLibrary_t library = nullptr;
};

/// The kernel by its name; null: the device has no such kernel, which the runtime library has said why.
cudaKernel_t find(const std::string& name) {
    static std::mutex mutex;
    static auto* const known = new std::map<std::string, cudaKernel_t>;
    static Code codes[] = {{ww_blas_vectors}, {ww_blas_products}};
    const std::lock_guard lock(mutex);
    if (const auto it = known->find(name); it != known->end()) return it->second;
    for (auto& code : codes) {
        if (!code.library && cudart::impl::cudaLibraryLoadData(&code.library, code.text, nullptr, nullptr, 0, nullptr,
                                                               nullptr, 0) != cudaSuccess)
            return nullptr;
        cudaKernel_t kernel = nullptr;
        if (cudart::impl::cudaLibraryGetKernel(&kernel, code.library, name.c_str()) == cudaSuccess)
            return (*known)[name] = kernel;
    }
    return nullptr;
}

}  // namespace

cublasStatus_t launch(const cublasContext& context, const std::string& kernel, dim3 grid, void** arguments) {
    const cudaKernel_t code = find(kernel);
    if (!code) return CUBLAS_STATUS_INTERNAL_ERROR;
    return status_of(cudart::impl::cudaLaunchKernel(code, grid, dim3(256), arguments, 0, context.stream));
}

}  // namespace warpwright::libraries
