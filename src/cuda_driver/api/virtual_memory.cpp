// Virtual memory: checks of arguments; state/virtual_memory does the work.
#include "cuda_driver/state/virtual_memory.hpp"

#include "cuda_driver/api/api.hpp"
#include "cuda_driver/state/contexts.hpp"
#include "cudart/state/runtime.hpp"

namespace warpwright::cuda_driver::impl {
namespace {

/// Memory of the device: the only kind there is here.
CUresult check(const CUmemAllocationProp* p) {
    if (!p || p->type != cudaMemAllocationTypePinned) return CUDA_ERROR_INVALID_VALUE;
    if (p->location.type != cudaMemLocationTypeDevice) {
        cudart::Runtime::get().say(
            "cuMemCreate: memory of the host is not supported by the emulated GPU's driver library");
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    return no_device(p->location.id) ? CUDA_ERROR_INVALID_DEVICE : CUDA_SUCCESS;
}

/// Processes share memory by descriptors of files, and in no other way.
bool by_descriptor(CUmemAllocationHandleType type) {
    if (type == cudaMemHandleTypePosixFileDescriptor) return true;
    cudart::Runtime::get().say("the emulated GPU's driver library shares memory by file descriptors only");
    return false;
}

}  // namespace

CUresult cuMemGetAllocationGranularity(size_t* bytes, const CUmemAllocationProp* p, CUmemAllocationGranularity_flags) {
    if (!bytes) return CUDA_ERROR_INVALID_VALUE;
    if (auto e = check(p); e != CUDA_SUCCESS) return e;
    *bytes = virtual_memory::kGranularity;
    return CUDA_SUCCESS;
}

CUresult cuMemAddressReserve(CUdeviceptr* pointer, size_t bytes, size_t alignment, CUdeviceptr,
                             unsigned long long flags) {
    // The wanted address is a hint.
    if (!pointer || flags || alignment > virtual_memory::kGranularity || (alignment & (alignment - 1)))
        return CUDA_ERROR_INVALID_VALUE;
    return virtual_memory::reserve(pointer, bytes);
}
CUresult cuMemAddressFree(CUdeviceptr pointer, size_t bytes) { return virtual_memory::release_range(pointer, bytes); }

CUresult cuMemCreate(CUmemGenericAllocationHandle* handle, size_t bytes, const CUmemAllocationProp* p,
                     unsigned long long flags) {
    if (!handle || flags) return CUDA_ERROR_INVALID_VALUE;
    if (auto e = check(p); e != CUDA_SUCCESS) return e;
    return virtual_memory::create(handle, bytes, *p);
}
CUresult cuMemRelease(CUmemGenericAllocationHandle handle) { return virtual_memory::release(handle); }
CUresult cuMemMap(CUdeviceptr pointer, size_t bytes, size_t offset, CUmemGenericAllocationHandle handle,
                  unsigned long long flags) {
    return flags ? CUDA_ERROR_INVALID_VALUE : virtual_memory::map(pointer, bytes, offset, handle);
}
CUresult cuMemUnmap(CUdeviceptr pointer, size_t bytes) { return virtual_memory::unmap(pointer, bytes); }

CUresult cuMemSetAccess(CUdeviceptr pointer, size_t bytes, const CUmemAccessDesc* access, size_t count) {
    if (!access || count == 0) return CUDA_ERROR_INVALID_VALUE;
    std::uint16_t to = 0;
    for (size_t k = 0; k < count; ++k) {
        if (access[k].flags != cudaMemAccessFlagsProtReadWrite) {
            cudart::Runtime::get().say("cuMemSetAccess: only read and write access together is supported");
            return CUDA_ERROR_NOT_SUPPORTED;
        }
        if (access[k].location.type != cudaMemLocationTypeDevice) continue;
        if (no_device(access[k].location.id)) return CUDA_ERROR_INVALID_DEVICE;
        to |= static_cast<std::uint16_t>(1u << access[k].location.id);
    }
    return virtual_memory::open(pointer, bytes, to);
}
CUresult cuMemGetAccess(unsigned long long* flags, const CUmemLocation* location, CUdeviceptr pointer) {
    if (!flags || !location) return CUDA_ERROR_INVALID_VALUE;
    if (auto e = virtual_memory::is_mapped(pointer, 1); e != CUDA_SUCCESS) return e;
    *flags = cudaMemAccessFlagsProtReadWrite;
    return CUDA_SUCCESS;
}
CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp* p, CUmemGenericAllocationHandle handle) {
    return p ? virtual_memory::properties_of(p, handle) : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuMemExportToShareableHandle(void* shared, CUmemGenericAllocationHandle handle, CUmemAllocationHandleType type,
                                      unsigned long long flags) {
    if (!shared || flags) return CUDA_ERROR_INVALID_VALUE;
    if (!by_descriptor(type)) return CUDA_ERROR_NOT_SUPPORTED;
    return virtual_memory::share(static_cast<int*>(shared), handle);
}
CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle* handle, void* shared,
                                        CUmemAllocationHandleType type) {
    if (!handle) return CUDA_ERROR_INVALID_VALUE;
    if (!by_descriptor(type)) return CUDA_ERROR_NOT_SUPPORTED;
    return virtual_memory::import(handle, static_cast<int>(reinterpret_cast<std::intptr_t>(shared)));
}
CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle* handle, void* pointer) {
    return handle ? virtual_memory::retain(handle, reinterpret_cast<CUdeviceptr>(pointer)) : CUDA_ERROR_INVALID_VALUE;
}

}  // namespace warpwright::cuda_driver::impl
