// The kernels of kernels/blas.
#include "libraries/common/kernels.hpp"
#include "libraries/cublas/context.hpp"

// Made by the build (CMakeLists.txt).
extern "C" const char ww_blas_vectors[], ww_blas_products[];

namespace warpwright::libraries {

cublasStatus_t launch(const cublasContext& context, const std::string& kernel, dim3 grid, void** arguments) {
    static auto* const kernels = new Kernels{ww_blas_vectors, ww_blas_products};
    return status_of(kernels->launch(kernel, grid, arguments, context.stream));
}

}  // namespace warpwright::libraries
