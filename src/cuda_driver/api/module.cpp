// Modules, libraries and kernels: the runtime's libraries under both of the driver's names.
#include <algorithm>
#include <cstring>
#include <string>

#include "cuda_driver/api/api.hpp"
#include "cuda_driver/state/contexts.hpp"
#include "cuda_driver/state/jit_options.hpp"
#include "cuda_driver/state/references.hpp"
#include "cudart/registry/registry.hpp"
#include "cudart/state/runtime.hpp"

namespace warpwright::cuda_driver::impl {
namespace {

const void* address(CUkernel kernel) { return reinterpret_cast<const void*>(kernel); }
const void* address(CUfunction function) { return reinterpret_cast<const void*>(function); }

/// The result of a load, whose message goes where the program wants it as well.
CUresult loaded(cudaError_t error, const JitOptions& options) {
    options.tell(error == cudaSuccess ? "" : cudart::Runtime::last_said());
    return code_of(error);
}

CUresult load_data(CUlibrary* library, const void* code, const JitOptions& options) {
    if (!library || !code) return CUDA_ERROR_INVALID_VALUE;
    return loaded(rt::cudaLibraryLoadData(library, code, nullptr, nullptr, 0, nullptr, nullptr, 0), options);
}

CUresult load_file(CUlibrary* library, const char* file, const JitOptions& options) {
    if (!library || !file) return CUDA_ERROR_INVALID_VALUE;
    return loaded(rt::cudaLibraryLoadFromFile(library, file, nullptr, nullptr, 0, nullptr, nullptr, 0), options);
}

/// An attribute from the runtime's structure of all of them.
CUresult attribute_of(int* value, CUfunction_attribute attribute, const void* kernel) {
    if (!value) return CUDA_ERROR_INVALID_VALUE;
    cudaFuncAttributes a;
    if (auto e = rt::cudaFuncGetAttributes(&a, kernel); e != cudaSuccess) return code_of(e);
    const int all[] = {a.maxThreadsPerBlock,
                       static_cast<int>(a.sharedSizeBytes),
                       static_cast<int>(a.constSizeBytes),
                       static_cast<int>(a.localSizeBytes),
                       a.numRegs,
                       a.ptxVersion,
                       a.binaryVersion,
                       a.cacheModeCA,
                       a.maxDynamicSharedSizeBytes,
                       a.preferredShmemCarveout,
                       a.clusterDimMustBeSet,
                       a.requiredClusterWidth,
                       a.requiredClusterHeight,
                       a.requiredClusterDepth,
                       a.nonPortableClusterSizeAllowed,
                       a.clusterSchedulingPolicyPreference};
    const auto k = static_cast<unsigned>(attribute);
    if (k >= std::size(all)) return CUDA_ERROR_INVALID_VALUE;
    *value = all[k];
    return CUDA_SUCCESS;
}

CUresult set_attribute(const void* kernel, CUfunction_attribute attribute, int value) {
    return code_of(rt::cudaFuncSetAttribute(kernel, static_cast<cudaFuncAttribute>(attribute), value));
}

/// A kernel's attributes can be asked for before there is a context, for any device.
CUresult for_device(CUdevice device, CUresult (*work)(const void*, int, int*, int), CUkernel kernel, int attribute,
                    int* out, int value) {
    return no_device(device) ? CUDA_ERROR_INVALID_DEVICE : work(address(kernel), attribute, out, value);
}

}  // namespace

CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned count, CUjit_option* options, void** values) {
    return load_data(reinterpret_cast<CUlibrary*>(module), image, {count, options, values});
}
CUresult cuModuleLoadData(CUmodule* module, const void* image) {
    return load_data(reinterpret_cast<CUlibrary*>(module), image, {});
}
CUresult cuModuleLoadFatBinary(CUmodule* module, const void* image) { return cuModuleLoadData(module, image); }
CUresult cuModuleLoad(CUmodule* module, const char* file) {
    return load_file(reinterpret_cast<CUlibrary*>(module), file, {});
}
CUresult cuModuleUnload(CUmodule module) {
    references::forget(module);
    return code_of(rt::cudaLibraryUnload(library_of(module)));
}

CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
    return code_of(rt::cudaLibraryGetKernel(reinterpret_cast<cudaKernel_t*>(function), library_of(module), name));
}
CUresult cuModuleGetFunctionCount(unsigned* count, CUmodule module) {
    return code_of(rt::cudaLibraryGetKernelCount(count, library_of(module)));
}
CUresult cuModuleEnumerateFunctions(CUfunction* functions, unsigned count, CUmodule module) {
    return code_of(
        rt::cudaLibraryEnumerateKernels(reinterpret_cast<cudaKernel_t*>(functions), count, library_of(module)));
}
CUresult cuModuleGetGlobal_v2(CUdeviceptr* pointer, size_t* bytes, CUmodule module, const char* name) {
    return code_of(rt::cudaLibraryGetGlobal(at(pointer), bytes, library_of(module), name));
}

CUresult cuLibraryLoadData(CUlibrary* library, const void* code, CUjit_option* options, void** values, unsigned count,
                           CUlibraryOption*, void**, unsigned) {
    return load_data(library, code, {count, options, values});
}
CUresult cuLibraryLoadFromFile(CUlibrary* library, const char* file, CUjit_option* options, void** values,
                               unsigned count, CUlibraryOption*, void**, unsigned) {
    return load_file(library, file, {count, options, values});
}
CUresult cuLibraryUnload(CUlibrary library) { return cuModuleUnload(reinterpret_cast<CUmodule>(library)); }
CUresult cuLibraryGetKernel(CUkernel* kernel, CUlibrary library, const char* name) {
    return code_of(rt::cudaLibraryGetKernel(kernel, library, name));
}
CUresult cuLibraryGetKernelCount(unsigned* count, CUlibrary library) {
    return code_of(rt::cudaLibraryGetKernelCount(count, library));
}
CUresult cuLibraryEnumerateKernels(CUkernel* kernels, unsigned count, CUlibrary library) {
    return code_of(rt::cudaLibraryEnumerateKernels(kernels, count, library));
}
CUresult cuLibraryGetModule(CUmodule* module, CUlibrary library) {
    if (!module) return CUDA_ERROR_INVALID_VALUE;
    unsigned count = 0;
    if (auto e = rt::cudaLibraryGetKernelCount(&count, library); e != cudaSuccess) return code_of(e);
    *module = reinterpret_cast<CUmodule>(library);
    return CUDA_SUCCESS;
}
CUresult cuLibraryGetGlobal(CUdeviceptr* pointer, size_t* bytes, CUlibrary library, const char* name) {
    return code_of(rt::cudaLibraryGetGlobal(at(pointer), bytes, library, name));
}
CUresult cuLibraryGetManaged(CUdeviceptr* pointer, size_t* bytes, CUlibrary library, const char* name) {
    return code_of(rt::cudaLibraryGetManaged(at(pointer), bytes, library, name));
}

/// No function has an address on both sides (CU_DEVICE_ATTRIBUTE_UNIFIED_FUNCTION_POINTERS is 0).
CUresult cuLibraryGetUnifiedFunction(void** function, CUlibrary library, const char* name) {
    unsigned count = 0;
    if (!function || !name) return CUDA_ERROR_INVALID_VALUE;
    if (auto e = rt::cudaLibraryGetKernelCount(&count, library); e != cudaSuccess) return code_of(e);
    return CUDA_ERROR_NOT_FOUND;
}

CUresult cuKernelGetFunction(CUfunction* function, CUkernel kernel) {
    return code_of(rt::cudaGetFuncBySymbol(function, address(kernel)));
}
CUresult cuKernelGetLibrary(CUlibrary* library, CUkernel kernel) {
    const auto* known = cudart::Registry::get().kernel(address(kernel));
    if (!library || !known) return known ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE;
    *library = reinterpret_cast<CUlibrary>(known->binary);
    return CUDA_SUCCESS;
}
CUresult cuKernelGetName(const char** name, CUkernel kernel) {
    return code_of(rt::cudaFuncGetName(name, address(kernel)));
}
CUresult cuKernelGetParamInfo(CUkernel kernel, size_t index, size_t* offset, size_t* size) {
    return code_of(rt::cudaFuncGetParamInfo(address(kernel), index, offset, size));
}
CUresult cuKernelGetAttribute(int* value, CUfunction_attribute attribute, CUkernel kernel, CUdevice device) {
    return for_device(
        device,
        [](const void* k, int which, int* out, int) {
            return attribute_of(out, static_cast<CUfunction_attribute>(which), k);
        },
        kernel, attribute, value, 0);
}
CUresult cuKernelSetAttribute(CUfunction_attribute attribute, int value, CUkernel kernel, CUdevice device) {
    return for_device(
        device,
        [](const void* k, int which, int*, int to) {
            return set_attribute(k, static_cast<CUfunction_attribute>(which), to);
        },
        kernel, attribute, nullptr, value);
}
CUresult cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache config, CUdevice) {
    return code_of(rt::cudaFuncSetCacheConfig(address(kernel), config));
}

CUresult cuFuncGetAttribute(int* value, CUfunction_attribute attribute, CUfunction function) {
    return attribute_of(value, attribute, address(function));
}
CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value) {
    return set_attribute(address(function), attribute, value);
}
CUresult cuFuncSetCacheConfig(CUfunction function, CUfunc_cache config) {
    return code_of(rt::cudaFuncSetCacheConfig(address(function), config));
}
CUresult cuFuncSetSharedMemConfig(CUfunction function, CUsharedconfig config) {
    return code_of(rt::cudaFuncSetSharedMemConfig(address(function), config));
}
CUresult cuFuncGetModule(CUmodule* module, CUfunction function) {
    return cuKernelGetLibrary(reinterpret_cast<CUlibrary*>(module), reinterpret_cast<CUkernel>(function));
}
CUresult cuFuncGetName(const char** name, CUfunction function) {
    return code_of(rt::cudaFuncGetName(name, address(function)));
}
CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t* offset, size_t* size) {
    return code_of(rt::cudaFuncGetParamInfo(address(function), index, offset, size));
}
CUresult cuFuncGetParamCount(CUfunction function, size_t* count) {
    if (!count) return CUDA_ERROR_INVALID_VALUE;
    auto* known = cudart::Registry::get().kernel(address(function));
    if (!known) return CUDA_ERROR_INVALID_HANDLE;
    if (auto e = cudart::Registry::get().ready(*known); e != cudaSuccess) return code_of(e);
    *count = known->info->parameters.size();
    return CUDA_SUCCESS;
}
CUresult cuKernelGetParamCount(CUkernel kernel, size_t* count) {
    return cuFuncGetParamCount(reinterpret_cast<CUfunction>(kernel), count);
}
CUresult cuFuncIsLoaded(int* state, CUfunction function) {
    if (!state) return CUDA_ERROR_INVALID_VALUE;
    *state = 1;
    return cudart::Registry::get().kernel(address(function)) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}
CUresult cuFuncLoad(CUfunction function) {
    return cudart::Registry::get().kernel(address(function)) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

}  // namespace warpwright::cuda_driver::impl
