// PTX is loaded into the runtime library when a kernel of it is first asked for, and kernels are remembered by name.
// The libraries launch them as a program would, so that profiles and checkers see the launches.
#include "libraries/common/kernels.hpp"

namespace warpwright::libraries {

cudaError_t Kernels::find(const std::string& name, cudaKernel_t& kernel) {
    const std::lock_guard lock(mutex_);
    if (const auto it = known_.find(name); it != known_.end()) {
        kernel = it->second;
        return cudaSuccess;
    }
    for (auto& code : codes_) {
        if (!code.library) {
            const auto e =
                cudart::impl::cudaLibraryLoadData(&code.library, code.text, nullptr, nullptr, 0, nullptr, nullptr, 0);
            if (e != cudaSuccess) return e;
        }
        if (cudart::impl::cudaLibraryGetKernel(&kernel, code.library, name.c_str()) != cudaSuccess) continue;
        known_[name] = kernel;
        return cudaSuccess;
    }
    return cudaErrorSymbolNotFound;
}

cudaError_t Kernels::launch(const std::string& name, dim3 grid, void** arguments, cudaStream_t stream) {
    cudaKernel_t kernel = nullptr;
    if (const auto e = find(name, kernel); e != cudaSuccess) return e;
    return cudart::impl::cudaLaunchKernel(kernel, grid, dim3(256), arguments, 0, stream);
}

}  // namespace warpwright::libraries
