// Code that a program loads by itself (libraries), and the driver's functions that it looks up by name.
#include <algorithm>
#include <cstring>
#include <set>

#include "cudart/api/api.hpp"
#include "cudart/registry/program_code.hpp"
#include "cudart/registry/registry.hpp"
#include "cudart/state/runtime.hpp"
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

/// cuTensorMapEncodeTiled, as the driver has it: the only function of the driver that programs on the runtime need.
int encode_tensor_map(void* to, int type, std::uint32_t rank, void* address, const std::uint64_t* sizes,
                      const std::uint64_t* strides, const std::uint32_t* box, const std::uint32_t* steps,
                      int interleave, int swizzle, int promotion, int fill) {
    constexpr int kInvalid = 1, kNotInitialized = 3, kNotSupported = 801;
    constexpr const char* kTypes[] = {"u8",  "u16", "u32",  "s32", "u64",  "s64", "f16",
                                      "f32", "f64", "bf16", "f32", "tf32", "tf32"};
    constexpr unsigned kFetch[] = {0, 64, 128, 256};
    auto& runtime = Runtime::get();
    if (!to || !sizes || !box || rank < 1 || rank > 5 || (rank > 1 && !strides) || type < 0 || type > 12 ||
        swizzle < 0 || promotion < 0 || promotion > 3)
        return kInvalid;
    if (!runtime.device()) return kNotInitialized;
    if (interleave != 0 || swizzle > 3) {
        runtime.say(
            "cuTensorMapEncodeTiled: interleaved layouts and swizzles of other atoms are not supported by the emulated "
            "GPU");
        return kNotSupported;
    }
    device::TensorMap m;
    m.address = reinterpret_cast<device::Address>(address);
    m.type = kTypes[type];
    m.size.assign(sizes, sizes + rank);
    m.stride.assign(strides, strides + (rank - 1));
    m.box.assign(box, box + rank);
    if (steps) m.step.assign(steps, steps + rank);
    m.swizzle = static_cast<device::TensorMap::Swizzle>(swizzle);
    m.fill_nan = fill == 1;
    m.fetch = kFetch[promotion];
    auto encoded = runtime.device()->encode_tensor_map(m);
    if (!encoded) {
        runtime.say(encoded.error());
        return kInvalid;
    }
    std::memcpy(to, encoded->data(), encoded->size());
    return 0;
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
    // Its code stays, because its kernels may still run.
    std::lock_guard lock(libraries_mutex);
    return libraries().erase(library) ? cudaSuccess : cudaErrorInvalidResourceHandle;
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
    auto place = binary->module->variable(name);
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
    *count = static_cast<unsigned>(binary->module->kernels().size());
    return cudaSuccess;
}

cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t* kernels, unsigned count, cudaLibrary_t library) {
    auto* binary = find(library);
    if (!binary) return cudaErrorInvalidResourceHandle;
    if (!kernels || count == 0) return cudaErrorInvalidValue;
    const auto& all = binary->module->kernels();
    for (unsigned k = 0; k < count && k < all.size(); ++k)
        kernels[k] = reinterpret_cast<cudaKernel_t>(Registry::get().library_kernel(*binary, all[k].name));
    return cudaSuccess;
}

cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, cudaFuncAttribute attribute, int value, int device) {
    int count = 0;
    if (impl::cudaGetDeviceCount(&count) != cudaSuccess || device < 0 || device >= count) return cudaErrorInvalidDevice;
    return impl::cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel), attribute, value);
}

cudaError_t cudaGetDriverEntryPointByVersion(const char* symbol, void** function, unsigned, unsigned long long,
                                             cudaDriverEntryPointQueryResult* status) {
    if (!symbol || !function) return cudaErrorInvalidValue;
    *function = nullptr;
    const bool known = std::strcmp(symbol, "cuTensorMapEncodeTiled") == 0;
    if (known)
        *function = reinterpret_cast<void*>(&encode_tensor_map);
    else
        Runtime::get().say(std::string("the driver's ") + symbol +
                           " was asked for: there is no driver here, only the runtime library");
    if (status) *status = known ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
    return known || status ? cudaSuccess : cudaErrorSymbolNotFound;
}

cudaError_t cudaGetDriverEntryPoint(const char* symbol, void** function, unsigned long long flags,
                                    cudaDriverEntryPointQueryResult* status) {
    return impl::cudaGetDriverEntryPointByVersion(symbol, function, 0, flags, status);
}

}  // namespace impl
}  // namespace warpwright::cudart
