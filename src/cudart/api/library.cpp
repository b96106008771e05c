// Code that a program loads by itself (libraries), and the driver's functions that it looks up by name.
#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "cudart/api/api.hpp"
#include "cudart/registry/program_code.hpp"
#include "cudart/registry/registry.hpp"
#include "cudart/state/runtime.hpp"
#include "support/libraries.hpp"
#include "support/read_file.hpp"

namespace warpwright::cudart {
namespace {

std::mutex libraries_mutex;
std::set<cudaLibrary_t>& libraries() {
    static auto* all = new std::set<cudaLibrary_t>;
    return *all;
}

/// nullptr: there is no such library, or it is unloaded.
Binary* find(cudaLibrary_t handle) {
    std::lock_guard lock(libraries_mutex);
    return libraries().count(handle) ? reinterpret_cast<Binary*>(handle) : nullptr;
}

cudaError_t load(cudaLibrary_t* library, std::string name, const void* code, std::uint64_t most) {
    if (!library || !code) return cudaErrorInvalidValue;
    auto text = loaded_ptx(code, most);
    if (!text) {
        Runtime::get().say("cudaLibraryLoadData: " + text.error().text());
        return code_of_bad_image(text.error());
    }
    auto* binary = Registry::get().add_library(std::move(name), std::move(*text));
    if (auto e = Registry::get().load(*binary); e != cudaSuccess) return e;
    *library = reinterpret_cast<cudaLibrary_t>(binary);
    std::lock_guard lock(libraries_mutex);
    libraries().insert(*library);
    return cudaSuccess;
}

/// cuGetProcAddress of the driver library, which is loaded when a program of the runtime first asks for one of its
/// functions; nullptr: it is not there.
using Lookup = int (*)(const char*, void**, int, unsigned long, int*);
Lookup driver_lookup() {
    static const Lookup found = [] {
        void* library =
            ::dlopen((library_folder() + "/" + newest_drop_in("cuda")->path()).c_str(), RTLD_NOW | RTLD_LOCAL);
        return library ? reinterpret_cast<Lookup>(::dlsym(library, "cuGetProcAddress_v2")) : nullptr;
    }();
    return found;
}

}  // namespace

namespace impl {

cudaError_t cudaLibraryLoadData(cudaLibrary_t* library, const void* code, cudaJitOption*, void**, unsigned,
                                cudaLibraryOption*, void**, unsigned) {
    return load(library, "library.ptx", code, ~std::uint64_t{0});
}

cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t* library, const char* file, cudaJitOption*, void**, unsigned,
                                    cudaLibraryOption*, void**, unsigned) {
    if (!library || !file) return cudaErrorInvalidValue;
    const auto bytes = read_file(file, file_limit::program);
    if (!bytes) return cudaErrorFileNotFound;
    return load(library, file, bytes->data(), bytes->size());
}

cudaError_t cudaLibraryUnload(cudaLibrary_t library) {
    {
        std::lock_guard lock(libraries_mutex);
        if (!libraries().erase(library)) return cudaErrorInvalidResourceHandle;
    }
    // Its code stays, because its kernels may still run.
    Registry::get().retire_kernels(*reinterpret_cast<Binary*>(library));
    return cudaSuccess;
}

cudaError_t cudaLibraryGetKernel(cudaKernel_t* kernel, cudaLibrary_t library, const char* name) {
    if (!kernel || !name) return cudaErrorInvalidValue;
    auto* binary = find(library);
    if (!binary) return cudaErrorInvalidResourceHandle;
    auto* found = Registry::get().library_kernel(*binary, name);
    if (!found) return cudaErrorSymbolNotFound;
    *kernel = reinterpret_cast<cudaKernel_t>(found);
    return cudaSuccess;
}

cudaError_t cudaLibraryGetGlobal(void** pointer, size_t* bytes, cudaLibrary_t library, const char* name) {
    if (!name || (!pointer && !bytes)) return cudaErrorInvalidValue;
    auto* binary = find(library);
    if (!binary) return cudaErrorInvalidResourceHandle;
    if (auto e = Registry::get().load(*binary); e != cudaSuccess) return e;
    auto place = binary->module()->variable(name);
    if (!place) return cudaErrorSymbolNotFound;
    if (pointer) *pointer = reinterpret_cast<void*>(place->first);
    if (bytes) *bytes = place->second;
    return cudaSuccess;
}

cudaError_t cudaLibraryGetManaged(void** pointer, size_t* bytes, cudaLibrary_t library, const char* name) {
    return impl::cudaLibraryGetGlobal(pointer, bytes, library, name);
}

cudaError_t cudaLibraryGetKernelCount(unsigned* count, cudaLibrary_t library) {
    auto* binary = find(library);
    if (!binary) return cudaErrorInvalidResourceHandle;
    if (!count) return cudaErrorInvalidValue;
    if (auto e = Registry::get().load(*binary); e != cudaSuccess) return e;
    *count = static_cast<unsigned>(binary->module()->kernels().size());
    return cudaSuccess;
}

cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t* kernels, unsigned count, cudaLibrary_t library) {
    auto* binary = find(library);
    if (!binary) return cudaErrorInvalidResourceHandle;
    if (!kernels || count == 0) return cudaErrorInvalidValue;
    if (auto e = Registry::get().load(*binary); e != cudaSuccess) return e;
    const auto& all = binary->module()->kernels();
    for (unsigned k = 0; k < count && k < all.size(); ++k)
        kernels[k] = reinterpret_cast<cudaKernel_t>(Registry::get().library_kernel(*binary, all[k].name));
    return cudaSuccess;
}

cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, cudaFuncAttribute attribute, int value, int device) {
    int count = 0;
    if (impl::cudaGetDeviceCount(&count) != cudaSuccess || device < 0 || device >= count) return cudaErrorInvalidDevice;
    return impl::cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel), attribute, value);
}

cudaError_t cudaGetDriverEntryPointByVersion(const char* symbol, void** function, unsigned version,
                                             unsigned long long flags, cudaDriverEntryPointQueryResult* status) {
    if (!symbol || !function) return cudaErrorInvalidValue;
    *function = nullptr;
    const auto look_up = driver_lookup();
    // Without a flag, what was asked for by code for which stream 0 is the thread's own gets such functions.
    if (flags == cudaEnableDefault && thread_state().per_thread_stream) flags = cudaEnablePerThreadDefaultStream;
    int found = 0;
    const int e = look_up ? look_up(symbol, function, static_cast<int>(version), flags, &found) : cudaErrorNotSupported;
    if (e == cudaErrorInvalidValue) return cudaErrorInvalidValue;
    if (!*function) Runtime::get().say(std::string("the driver's ") + symbol + " was asked for, and is not here");
    if (status)
        *status =
            *function ? cudaDriverEntryPointSuccess : static_cast<cudaDriverEntryPointQueryResult>(found ? found : 1);
    return *function || status ? cudaSuccess : cudaErrorSymbolNotFound;
}

cudaError_t cudaGetDriverEntryPoint(const char* symbol, void** function, unsigned long long flags,
                                    cudaDriverEntryPointQueryResult* status) {
    return impl::cudaGetDriverEntryPointByVersion(symbol, function, kRuntimeVersion, flags, status);
}

}  // namespace impl
}  // namespace warpwright::cudart
