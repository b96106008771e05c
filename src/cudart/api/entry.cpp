// The library's entry points, made from the table; and those that the compiler uses, by which a program registers its
// code and its launch stubs run.
#include <cstring>

#include "cudart/api/api.hpp"
#include "cudart/api/enter.hpp"
#include "cudart/registry/registry.hpp"
#include "cudart/work/launch/kernel_launch.hpp"
#include "cudart/work/stream/stream.hpp"

namespace warpwright::cudart {
namespace {

/// For the duration of a call, stream 0 is the thread's own.
struct PerThread {
    PerThread() { thread_state().per_thread_stream = true; }
    ~PerThread() { thread_state().per_thread_stream = false; }
};

}  // namespace
}  // namespace warpwright::cudart

using namespace warpwright::cudart;

#define WW_OR(value)
#define WW_ENTRY __attribute__((visibility("default")))
#define WW_API(name, parameters, arguments)                                                                        \
    extern "C" WW_ENTRY cudaError_t name parameters {                                                              \
        return enter(                                                                                              \
            Api::name, [&] { return impl::name arguments; }, [&](activity::Parameters& pack) { pack arguments; }); \
    }
#define WW_API_SECOND(name, second, parameters, arguments)                                                         \
    WW_API(name, parameters, arguments)                                                                            \
    extern "C" WW_ENTRY cudaError_t second parameters {                                                            \
        PerThread guard;                                                                                           \
        return enter(                                                                                              \
            Api::name, [&] { return impl::name arguments; }, [&](activity::Parameters& pack) { pack arguments; }); \
    }
#define WW_API_STREAM(name, parameters, arguments) WW_API_SECOND(name, name##_ptsz, parameters, arguments)
#ifdef WARPWRIGHT_CUDART_12  // entry12.cpp has them
    #define WW_API_SINCE_13(name, parameters, arguments)
    #define WW_API_SINCE_13_STREAM(name, parameters, arguments)
#endif
#define WW_API_LEGACY(name, parameters, arguments) WW_API_SECOND(name, name##_ptds, parameters, arguments)
#include "warpwright/runtime_api.inc"

extern "C" {

// Functions that are not in the table because they do not return an error.
WW_ENTRY struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, enum cudaChannelFormatKind f) {
    return {x, y, z, w, f};
}

// The compiler's side: registration when the program starts.

WW_ENTRY void** __cudaRegisterFatBinary(void* wrapper) {
    return reinterpret_cast<void**>(Registry::get().add_binary(wrapper));
}

// An unknown handle registers nothing: the calls that need it fail then.

WW_ENTRY void __cudaRegisterFatBinaryEnd(void** handle) {
    if (auto* binary = Registry::get().binary(handle)) Registry::get().complete(binary);
}
/// Called by our own headers before registration (toolchain/include/warpwright/managed.h).
WW_ENTRY void __cudaWarpwrightManaged(const void* begin, const void* end) {
    Registry::get().add_managed_range(begin, end);
}
/// Called by files whose device code is linked in a step of its own (toolchain/include/warpwright/separate.h).
WW_ENTRY void __cudaWarpwrightLinked(const void* code) { Registry::get().add_linked(code); }
/// Called by files that `build` has compiled with -rdc=true or -dc (compile/program/separate_unit.hpp).
WW_ENTRY void __cudaRegisterLinkedBinary(void (*register_names)(void**), void* wrapper, void*, void (*)(void*)) {
    void** const handle = __cudaRegisterFatBinary(wrapper);
    register_names(handle);
    __cudaRegisterFatBinaryEnd(handle);
}
WW_ENTRY void __cudaUnregisterFatBinary(void** handle) {
    Registry::get().remove_binary(Registry::get().binary(handle));
}

WW_ENTRY void __cudaRegisterFunction(void** handle, const char* host, char*, const char* name, int, uint3*, uint3*,
                                     dim3*, dim3*, int*) {
    auto* binary = Registry::get().binary(handle);
    if (binary && name) Registry::get().add_kernel(binary, host, name);
}

WW_ENTRY void __cudaRegisterVar(void** handle, char* host, char*, const char* name, int, size_t bytes, int, int) {
    auto* binary = Registry::get().binary(handle);
    if (binary && name) Registry::get().add_variable(binary, host, name, bytes);
}

WW_ENTRY void __cudaRegisterHostVar(void** handle, const char* name, char* host, size_t bytes) {
    auto* binary = Registry::get().binary(handle);
    if (binary && name) Registry::get().add_variable(binary, host, name, bytes);
}

WW_ENTRY void __cudaRegisterManagedVar(void** handle, void** host, char*, const char* name, int, size_t bytes, int,
                                       int) {
    auto* binary = Registry::get().binary(handle);
    if (binary && name) Registry::get().add_managed(binary, host, name, bytes);
}

WW_ENTRY void __cudaRegisterTexture(void** handle, const textureReference* host, const void**, const char* name, int,
                                    int normalized, int) {
    auto* binary = Registry::get().binary(handle);
    if (binary && name) Registry::get().add_reference(binary, host, name, {false, normalized != 0});
}

WW_ENTRY void __cudaRegisterSurface(void** handle, const surfaceReference* host, const void**, const char* name, int,
                                    int) {
    auto* binary = Registry::get().binary(handle);
    if (binary && name) Registry::get().add_reference(binary, host, name, {true, false});
}

WW_ENTRY void __cudaRegisterUnifiedTable(void**, void*) {}

/// Called where a program first uses a managed variable.
WW_ENTRY char __cudaInitModule(void** handle) {
    auto* binary = Registry::get().binary(handle);
    return binary && Registry::get().load(*binary) == cudaSuccess;
}

// The compiler's side: launches. f<<<grid, block>>>(...) pushes its configuration, and the stub of f pops it.

WW_ENTRY unsigned int __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, cudaStream_t stream) {
    push_configuration({grid, block, shared, stream});
    return 0;
}

WW_ENTRY cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared, void* stream) {
    thread_state().in_stub = true;
    const auto c = pop_configuration();
    if (!c) return cudaErrorMissingConfiguration;
    *grid = c->grid, *block = c->block, *shared = c->shared;
    *static_cast<cudaStream_t*>(stream) = c->stream;
    return cudaSuccess;
}

WW_ENTRY cudaError_t __cudaGetKernel(cudaKernel_t* handle, const void* host) {
    auto* kernel = Registry::get().kernel(host);
    *handle = reinterpret_cast<cudaKernel_t>(kernel);
    return kernel ? cudaSuccess : cudaErrorInvalidDeviceFunction;
}

WW_ENTRY cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments, size_t shared,
                                        cudaStream_t stream) {
    return enter(
        Api::cudaLaunchKernel, [&] { return impl::cudaLaunchKernel(kernel, grid, block, arguments, shared, stream); },
        [&](activity::Parameters& pack) { pack(kernel, grid, block, arguments, shared, stream); });
}

WW_ENTRY cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                                             size_t shared, cudaStream_t stream) {
    PerThread guard;
    return __cudaLaunchKernel(kernel, grid, block, arguments, shared, stream);
}

}  // extern "C"
