// Contexts.
#include "cuda_driver/api/api.hpp"
#include "cuda_driver/state/contexts.hpp"
#include "cudart/state/runtime.hpp"

namespace warpwright::cuda_driver::impl {
namespace {

constexpr unsigned kKnownFlags = 0xff;
constexpr unsigned kApiVersion = 3020;  // documented for contexts of every newer driver as well

/// What a function of the runtime answers when this device is current.
template <class F>
cudaError_t of_device(CUdevice device, F work) {
    const cudart::OnDevice on(device);
    return work();
}

CUresult create(CUcontext* context, unsigned flags, CUdevice device) {
    if (!context || (flags & ~kKnownFlags)) return CUDA_ERROR_INVALID_VALUE;
    if (no_device(device)) return CUDA_ERROR_INVALID_DEVICE;
    if (!cudart::Runtime::get().device()) return CUDA_ERROR_NOT_INITIALIZED;
    auto* made = create_context(device, flags);
    push(made);
    *context = handle_of(made);
    return CUDA_SUCCESS;
}

CUresult destroy(CUcontext handle) {
    auto* context = find_context(handle);
    if (!context || context->primary) return CUDA_ERROR_INVALID_CONTEXT;
    const int device = context->device;
    (void)of_device(device, [] { return rt::cudaDeviceSynchronize(); });
    if (current() == context) pop();
    destroy_context(handle);
    // A fault belongs to the context in which it happened; the next one begins without it.
    const cudart::OnDevice on(device);
    cudart::Runtime::get().unstick();
    return CUDA_SUCCESS;
}

CUresult on_device(CUdevice device) { return no_device(device) ? CUDA_ERROR_INVALID_DEVICE : CUDA_SUCCESS; }

}  // namespace

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
    if (!context) return CUDA_ERROR_INVALID_VALUE;
    if (no_device(device)) return CUDA_ERROR_INVALID_DEVICE;
    if (!cudart::Runtime::get().device()) return CUDA_ERROR_NOT_INITIALIZED;
    auto* p = primary(device);
    ++p->references;
    *context = handle_of(p);
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
    if (no_device(device)) return CUDA_ERROR_INVALID_DEVICE;
    auto* p = primary(device);
    if (p->references == 0) return CUDA_ERROR_INVALID_CONTEXT;
    // What it holds stays until it is reset: the runtime library may be using it.
    --p->references;
    return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxRelease(CUdevice device) { return cuDevicePrimaryCtxRelease_v2(device); }

CUresult cuDevicePrimaryCtxReset_v2(CUdevice device) {
    if (no_device(device)) return CUDA_ERROR_INVALID_DEVICE;
    return code_of(of_device(device, [] { return rt::cudaDeviceReset(); }));
}
CUresult cuDevicePrimaryCtxReset(CUdevice device) { return cuDevicePrimaryCtxReset_v2(device); }

CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned flags) {
    if (no_device(device)) return CUDA_ERROR_INVALID_DEVICE;
    if (flags & ~kKnownFlags) return CUDA_ERROR_INVALID_VALUE;
    primary(device)->flags = flags;
    return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned flags) {
    return cuDevicePrimaryCtxSetFlags_v2(device, flags);
}

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned* flags, int* active) {
    if (!flags || !active) return CUDA_ERROR_INVALID_VALUE;
    if (no_device(device)) return CUDA_ERROR_INVALID_DEVICE;
    const auto* p = primary(device);
    *flags = p->flags;
    const auto& thread = cudart::thread_state();
    *active = p->references != 0 || (thread.uses_device && thread.device == device);
    return CUDA_SUCCESS;
}

CUresult cuCtxCreate_v2(CUcontext* context, unsigned flags, CUdevice device) { return create(context, flags, device); }
CUresult cuCtxCreate_v3(CUcontext* context, CUexecAffinityParam*, int count, unsigned flags, CUdevice device) {
    return count ? CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY : create(context, flags, device);
}
CUresult cuCtxCreate_v4(CUcontext* context, CUctxCreateParams* parameters, unsigned flags, CUdevice device) {
    if (parameters && parameters->numExecAffinityParams) return CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY;
    if (parameters && parameters->cigParams) return CUDA_ERROR_NOT_SUPPORTED;
    return create(context, flags, device);
}
CUresult cuCtxDestroy_v2(CUcontext context) { return destroy(context); }

CUresult cuCtxPushCurrent_v2(CUcontext handle) {
    auto* context = find_context(handle);
    if (!context) return CUDA_ERROR_INVALID_CONTEXT;
    push(context);
    return CUDA_SUCCESS;
}

CUresult cuCtxPopCurrent_v2(CUcontext* context) {
    if (!current()) return CUDA_ERROR_INVALID_CONTEXT;
    auto* popped = pop();
    if (context) *context = handle_of(popped);
    return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext handle) {
    auto* context = handle ? find_context(handle) : nullptr;
    if (handle && !context) return CUDA_ERROR_INVALID_CONTEXT;
    set_current(context);
    return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext* context) {
    if (!context) return CUDA_ERROR_INVALID_VALUE;
    *context = handle_of(current());
    return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice* device) {
    if (!device) return CUDA_ERROR_INVALID_VALUE;
    *device = current()->device;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice_v2(CUdevice* device, CUcontext handle) {
    auto* context = handle ? find_context(handle) : current();
    if (!device || !context) return device ? CUDA_ERROR_INVALID_CONTEXT : CUDA_ERROR_INVALID_VALUE;
    *device = context->device;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetFlags(unsigned* flags) {
    if (!flags) return CUDA_ERROR_INVALID_VALUE;
    *flags = current()->flags;
    return CUDA_SUCCESS;
}

CUresult cuCtxSetFlags(unsigned flags) {
    if (flags & ~kKnownFlags) return CUDA_ERROR_INVALID_VALUE;
    current()->flags = flags;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetId(CUcontext handle, unsigned long long* id) {
    auto* context = handle ? find_context(handle) : current();
    if (!id || !context) return id ? CUDA_ERROR_INVALID_CONTEXT : CUDA_ERROR_INVALID_VALUE;
    *id = context->id;
    return CUDA_SUCCESS;
}

CUresult cuCtxSynchronize() { return code_of(rt::cudaDeviceSynchronize()); }
CUresult cuCtxSynchronize_v2(CUcontext handle) {
    const auto* context = handle ? find_context(handle) : current();
    if (!context) return CUDA_ERROR_INVALID_CONTEXT;
    return code_of(of_device(context->device, [] { return rt::cudaDeviceSynchronize(); }));
}

CUresult cuCtxSetLimit(CUlimit limit, size_t value) { return code_of(rt::cudaDeviceSetLimit(limit, value)); }
CUresult cuCtxGetLimit(size_t* value, CUlimit limit) { return code_of(rt::cudaDeviceGetLimit(value, limit)); }
CUresult cuCtxGetCacheConfig(CUfunc_cache* config) { return code_of(rt::cudaDeviceGetCacheConfig(config)); }
CUresult cuCtxSetCacheConfig(CUfunc_cache config) { return code_of(rt::cudaDeviceSetCacheConfig(config)); }
CUresult cuCtxGetSharedMemConfig(CUsharedconfig* config) { return code_of(rt::cudaDeviceGetSharedMemConfig(config)); }
CUresult cuCtxSetSharedMemConfig(CUsharedconfig config) { return code_of(rt::cudaDeviceSetSharedMemConfig(config)); }
CUresult cuCtxGetStreamPriorityRange(int* least, int* greatest) {
    return code_of(rt::cudaDeviceGetStreamPriorityRange(least, greatest));
}
CUresult cuCtxResetPersistingL2Cache() { return code_of(rt::cudaCtxResetPersistingL2Cache()); }

CUresult cuCtxGetApiVersion(CUcontext handle, unsigned* version) {
    if (!version) return CUDA_ERROR_INVALID_VALUE;
    if (handle ? !find_context(handle) : !current()) return CUDA_ERROR_INVALID_CONTEXT;
    *version = kApiVersion;
    return CUDA_SUCCESS;
}

CUresult cuCtxAttach(CUcontext* context, unsigned flags) {
    if (!context || flags) return CUDA_ERROR_INVALID_VALUE;
    ++current()->references;
    *context = handle_of(current());
    return CUDA_SUCCESS;
}

CUresult cuCtxDetach(CUcontext handle) {
    auto* context = find_context(handle);
    if (!context) return CUDA_ERROR_INVALID_CONTEXT;
    if (context->references > 1 || context->primary) {
        if (context->references) --context->references;
        return CUDA_SUCCESS;
    }
    return destroy(handle);
}

CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags) {
    auto* context = find_context(peer);
    if (!context) return CUDA_ERROR_INVALID_CONTEXT;
    if (auto e = on_device(context->device); e != CUDA_SUCCESS) return e;
    return code_of(rt::cudaDeviceEnablePeerAccess(context->device, flags));
}
CUresult cuCtxDisablePeerAccess(CUcontext peer) {
    auto* context = find_context(peer);
    return context ? code_of(rt::cudaDeviceDisablePeerAccess(context->device)) : CUDA_ERROR_INVALID_CONTEXT;
}

}  // namespace warpwright::cuda_driver::impl
