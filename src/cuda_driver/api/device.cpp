// Devices.
#include <cstring>

#include "cuda_driver/api/api.hpp"
#include "cuda_driver/state/contexts.hpp"
#include "cuda_driver/state/formats.hpp"
#include "cudart/state/properties.hpp"
#include "cudart/state/runtime.hpp"

namespace warpwright::cuda_driver::impl {

CUresult cuDeviceGet(CUdevice* device, int ordinal) {
    if (!device) return CUDA_ERROR_INVALID_VALUE;
    if (no_device(ordinal)) return CUDA_ERROR_INVALID_DEVICE;
    *device = ordinal;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int* count) { return code_of(rt::cudaGetDeviceCount(count)); }

CUresult cuDeviceGetName(char* name, int length, CUdevice device) {
    if (!name || length <= 0) return CUDA_ERROR_INVALID_VALUE;
    cudaDeviceProp p;
    if (auto e = rt::cudaGetDeviceProperties(&p, device); e != cudaSuccess) return code_of(e);
    std::strncpy(name, p.name, static_cast<std::size_t>(length));
    name[length - 1] = '\0';
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetUuid_v2(CUuuid* uuid, CUdevice device) {
    if (!uuid) return CUDA_ERROR_INVALID_VALUE;
    cudaDeviceProp p;
    if (auto e = rt::cudaGetDeviceProperties(&p, device); e != cudaSuccess) return code_of(e);
    *uuid = p.uuid;
    return CUDA_SUCCESS;
}
CUresult cuDeviceGetUuid(CUuuid* uuid, CUdevice device) { return cuDeviceGetUuid_v2(uuid, device); }

CUresult cuDeviceGetLuid(char*, unsigned*, CUdevice device) {
    // Only Windows has such numbers.
    return no_device(device) ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuDeviceTotalMem_v2(size_t* bytes, CUdevice device) {
    if (!bytes) return CUDA_ERROR_INVALID_VALUE;
    if (no_device(device)) return CUDA_ERROR_INVALID_DEVICE;
    *bytes = cudart::Runtime::get().memory_size();
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
    if (!value) return CUDA_ERROR_INVALID_VALUE;
    if (no_device(device)) return CUDA_ERROR_INVALID_DEVICE;
    // Those that only the driver has.
    constexpr int kVirtualMemory = 102, kTensorMaps = 127;
    switch (static_cast<int>(attribute)) {
        case kVirtualMemory:
            *value = 1;
            return CUDA_SUCCESS;
        case kTensorMaps:
            *value = cudart::Runtime::get().model().compute_capability >= 90;
            return CUDA_SUCCESS;
        default:
            return code_of(rt::cudaDeviceGetAttribute(value, attribute, device));
    }
}

CUresult cuDeviceComputeCapability(int* major, int* minor, CUdevice device) {
    if (!major || !minor) return CUDA_ERROR_INVALID_VALUE;
    if (no_device(device)) return CUDA_ERROR_INVALID_DEVICE;
    const int capability = cudart::Runtime::get().model().compute_capability;
    *major = capability / 10, *minor = capability % 10;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetProperties(CUdevprop* to, CUdevice device) {
    if (!to) return CUDA_ERROR_INVALID_VALUE;
    cudaDeviceProp p;
    if (auto e = rt::cudaGetDeviceProperties(&p, device); e != cudaSuccess) return code_of(e);
    to->maxThreadsPerBlock = p.maxThreadsPerBlock;
    std::memcpy(to->maxThreadsDim, p.maxThreadsDim, sizeof p.maxThreadsDim);
    std::memcpy(to->maxGridSize, p.maxGridSize, sizeof p.maxGridSize);
    to->sharedMemPerBlock = static_cast<int>(p.sharedMemPerBlock);
    to->totalConstantMemory = static_cast<int>(p.totalConstMem);
    to->SIMDWidth = p.warpSize;
    to->memPitch = static_cast<int>(p.memPitch);
    to->regsPerBlock = p.regsPerBlock;
    to->clockRate = p.clockRate;
    to->textureAlign = static_cast<int>(p.textureAlignment);
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetByPCIBusId(CUdevice* device, const char* id) {
    return code_of(rt::cudaDeviceGetByPCIBusId(device, id));
}
CUresult cuDeviceGetPCIBusId(char* id, int length, CUdevice device) {
    return code_of(rt::cudaDeviceGetPCIBusId(id, length, device));
}
CUresult cuDeviceCanAccessPeer(int* can, CUdevice device, CUdevice peer) {
    return code_of(rt::cudaDeviceCanAccessPeer(can, device, peer));
}
CUresult cuDeviceGetP2PAttribute(int* value, CUdevice_P2PAttribute attribute, CUdevice from, CUdevice to) {
    return code_of(rt::cudaDeviceGetP2PAttribute(value, attribute, from, to));
}
CUresult cuDeviceGetTexture1DLinearMaxWidth(size_t* elements, CUarray_format format, unsigned channels,
                                            CUdevice device) {
    cudaChannelFormatDesc description;
    if (!channel_format(format, channels, description)) return CUDA_ERROR_INVALID_VALUE;
    return code_of(rt::cudaDeviceGetTexture1DLinearMaxWidth(elements, &description, device));
}

namespace {
/// The runtime's functions on pools take any number.
template <class F>
CUresult on(CUdevice device, F work) {
    return no_device(device) ? CUDA_ERROR_INVALID_DEVICE : code_of(work());
}
}  // namespace

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool* pool, CUdevice device) {
    return on(device, [&] { return rt::cudaDeviceGetDefaultMemPool(pool, device); });
}
CUresult cuDeviceGetMemPool(CUmemoryPool* pool, CUdevice device) {
    return on(device, [&] { return rt::cudaDeviceGetMemPool(pool, device); });
}
CUresult cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool) {
    return on(device, [&] { return pool ? rt::cudaDeviceSetMemPool(device, pool) : cudaErrorInvalidValue; });
}
CUresult cuDeviceGraphMemTrim(CUdevice device) {
    return on(device, [&] { return rt::cudaDeviceGraphMemTrim(device); });
}
CUresult cuDeviceGetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attribute, void* value) {
    return on(device, [&] { return rt::cudaDeviceGetGraphMemAttribute(device, attribute, value); });
}
CUresult cuDeviceSetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attribute, void* value) {
    return on(device, [&] { return rt::cudaDeviceSetGraphMemAttribute(device, attribute, value); });
}

/// Processes cannot be given a part of the multiprocessors.
CUresult cuDeviceGetExecAffinitySupport(int* supported, CUexecAffinityType type, CUdevice device) {
    if (!supported || type != CU_EXEC_AFFINITY_TYPE_SM_COUNT) return CUDA_ERROR_INVALID_VALUE;
    if (no_device(device)) return CUDA_ERROR_INVALID_DEVICE;
    *supported = 0;
    return CUDA_SUCCESS;
}

}  // namespace warpwright::cuda_driver::impl
