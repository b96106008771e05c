// Memory: device, page-locked, managed; pools; what a pointer is; memory of other processes.
#include <cstring>

#include "cuda_driver/api/api.hpp"
#include "cuda_driver/state/contexts.hpp"
#include "cudart/memory/memory_table.hpp"
#include "cudart/memory/pageable.hpp"
#include "cudart/state/runtime.hpp"

namespace warpwright::cuda_driver::impl {
namespace {

using cudart::Block;
using cudart::MemoryTable;

std::optional<Block> block_of(CUdeviceptr pointer) { return MemoryTable::get().find(at(pointer)); }

template <class T>
CUresult give(void* to, T value) {
    std::memcpy(to, &value, sizeof value);
    return CUDA_SUCCESS;
}

CUresult attribute_of(void* data, CUpointer_attribute attribute, CUdeviceptr pointer, const Block& b) {
    const bool host = b.kind == Block::Kind::pinned || b.kind == Block::Kind::registered;
    switch (attribute) {
        case CU_POINTER_ATTRIBUTE_CONTEXT:
            return give(data, handle_of(primary(static_cast<CUdevice>(b.device))));
        case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
            return give(data, static_cast<unsigned>(host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE));
        case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
            return give(data, pointer);
        case CU_POINTER_ATTRIBUTE_HOST_POINTER:
            if (!host && b.kind != Block::Kind::managed) return CUDA_ERROR_INVALID_VALUE;
            return give(data, pointer);
        case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
        case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
            return give(data, 0);
        case CU_POINTER_ATTRIBUTE_BUFFER_ID:
            return give(data, static_cast<unsigned long long>(b.address));
        case CU_POINTER_ATTRIBUTE_IS_MANAGED:
            return give(data, static_cast<unsigned>(b.kind == Block::Kind::managed));
        case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
            return give(data, static_cast<int>(b.device));
        case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
            return give(data, static_cast<int>(b.kind == Block::Kind::device));
        case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
            return give(data, static_cast<CUdeviceptr>(b.address));
        case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
            return give(data, static_cast<size_t>(b.bytes));
        case CU_POINTER_ATTRIBUTE_MAPPED:
            return give(data, 1);
        case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
            return give(data, 0ull);
        case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
            return give(data, static_cast<unsigned>(cudaMemAccessFlagsProtReadWrite));
        default:
            return CUDA_ERROR_NOT_SUPPORTED;
    }
}

size_t size_of(CUpointer_attribute attribute) {
    switch (attribute) {
        case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
        case CU_POINTER_ATTRIBUTE_IS_MANAGED:
        case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
        case CU_POINTER_ATTRIBUTE_MAPPED:
        case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
        case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
            return 4;
        default:
            return 8;
    }
}

}  // namespace

CUresult cuMemGetInfo_v2(size_t* free, size_t* total) { return code_of(rt::cudaMemGetInfo(free, total)); }

CUresult cuMemAlloc_v2(CUdeviceptr* pointer, size_t bytes) {
    if (bytes == 0) return CUDA_ERROR_INVALID_VALUE;
    return code_of(rt::cudaMalloc(at(pointer), bytes));
}

CUresult cuMemAllocPitch_v2(CUdeviceptr* pointer, size_t* pitch, size_t width, size_t height, unsigned element) {
    if (element != 4 && element != 8 && element != 16) return CUDA_ERROR_INVALID_VALUE;
    if (width == 0 || height == 0) return CUDA_ERROR_INVALID_VALUE;
    return code_of(rt::cudaMallocPitch(at(pointer), pitch, width, height));
}

CUresult cuMemFree_v2(CUdeviceptr pointer) { return code_of(rt::cudaFree(at(pointer))); }

CUresult cuMemGetAddressRange_v2(CUdeviceptr* base, size_t* size, CUdeviceptr pointer) {
    const auto b = block_of(pointer);
    if (!b) return CUDA_ERROR_NOT_FOUND;
    if (base) *base = b->address;
    if (size) *size = b->bytes;
    return CUDA_SUCCESS;
}

CUresult cuMemAllocHost_v2(void** pointer, size_t bytes) {
    return bytes ? code_of(rt::cudaMallocHost(pointer, bytes)) : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuMemHostAlloc(void** pointer, size_t bytes, unsigned flags) {
    return bytes ? code_of(rt::cudaHostAlloc(pointer, bytes, flags)) : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuMemFreeHost(void* pointer) {
    return pointer ? code_of(rt::cudaFreeHost(pointer)) : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr* device, void* host, unsigned flags) {
    return code_of(rt::cudaHostGetDevicePointer(at(device), host, flags));
}
CUresult cuMemHostGetFlags(unsigned* flags, void* host) { return code_of(rt::cudaHostGetFlags(flags, host)); }
CUresult cuMemHostRegister_v2(void* pointer, size_t bytes, unsigned flags) {
    return code_of(rt::cudaHostRegister(pointer, bytes, flags));
}
CUresult cuMemHostUnregister(void* pointer) { return code_of(rt::cudaHostUnregister(pointer)); }
CUresult cuMemAllocManaged(CUdeviceptr* pointer, size_t bytes, unsigned flags) {
    return code_of(rt::cudaMallocManaged(at(pointer), bytes, flags));
}

CUresult cuMemAdvise_v2(CUdeviceptr pointer, size_t bytes, CUmem_advise advice, CUmemLocation location) {
    return code_of(rt::cudaMemAdvise(at(pointer), bytes, advice, location));
}
CUresult cuMemAdvise(CUdeviceptr pointer, size_t bytes, CUmem_advise advice, CUdevice device) {
    return cuMemAdvise_v2(pointer, bytes, advice, {cudaMemLocationTypeDevice, device});
}
CUresult cuMemPrefetchAsync_v2(CUdeviceptr pointer, size_t bytes, CUmemLocation location, unsigned flags,
                               CUstream stream) {
    return code_of(rt::cudaMemPrefetchAsync(at(pointer), bytes, location, flags, stream));
}
CUresult cuMemPrefetchAsync(CUdeviceptr pointer, size_t bytes, CUdevice device, CUstream stream) {
    return cuMemPrefetchAsync_v2(pointer, bytes, {cudaMemLocationTypeDevice, device}, 0, stream);
}
CUresult cuMemPrefetchBatchAsync(CUdeviceptr* pointers, size_t* sizes, size_t count, CUmemLocation* locations,
                                 size_t* indices, size_t locationCount, unsigned long long flags, CUstream stream) {
    return code_of(
        rt::cudaMemPrefetchBatchAsync(at(pointers), sizes, count, locations, indices, locationCount, flags, stream));
}
CUresult cuMemDiscardBatchAsync(CUdeviceptr* pointers, size_t* sizes, size_t count, unsigned long long flags,
                                CUstream stream) {
    return code_of(rt::cudaMemDiscardBatchAsync(at(pointers), sizes, count, flags, stream));
}
CUresult cuMemDiscardAndPrefetchBatchAsync(CUdeviceptr* pointers, size_t* sizes, size_t count, CUmemLocation* locations,
                                           size_t* indices, size_t locationCount, unsigned long long flags,
                                           CUstream stream) {
    return code_of(rt::cudaMemDiscardAndPrefetchBatchAsync(at(pointers), sizes, count, locations, indices,
                                                           locationCount, flags, stream));
}
CUresult cuMemRangeGetAttribute(void* data, size_t size, CUmem_range_attribute attribute, CUdeviceptr pointer,
                                size_t bytes) {
    return code_of(rt::cudaMemRangeGetAttribute(data, size, attribute, at(pointer), bytes));
}
CUresult cuMemRangeGetAttributes(void** data, size_t* sizes, CUmem_range_attribute* attributes, size_t count,
                                 CUdeviceptr pointer, size_t bytes) {
    return code_of(rt::cudaMemRangeGetAttributes(data, sizes, attributes, count, at(pointer), bytes));
}

CUresult cuPointerGetAttribute(void* data, CUpointer_attribute attribute, CUdeviceptr pointer) {
    if (!data) return CUDA_ERROR_INVALID_VALUE;
    if (const auto b = block_of(pointer)) return attribute_of(data, attribute, pointer, *b);
    // The device reaches pageable memory of which a program asks for the device's address.
    if (attribute == CU_POINTER_ATTRIBUTE_DEVICE_POINTER)
        if (const auto address = cudart::reach_pageable(at(pointer))) return give(data, CUdeviceptr{address});
    return CUDA_ERROR_INVALID_VALUE;
}

CUresult cuPointerGetAttributes(unsigned count, CUpointer_attribute* attributes, void** data, CUdeviceptr pointer) {
    if (count == 0 || !attributes || !data) return CUDA_ERROR_INVALID_VALUE;
    const auto b = block_of(pointer);
    // Of memory that is not ours, all of them are nothing.
    for (unsigned k = 0; k < count; ++k) {
        if (!data[k]) return CUDA_ERROR_INVALID_VALUE;
        if (!b || attribute_of(data[k], attributes[k], pointer, *b) != CUDA_SUCCESS)
            std::memset(data[k], 0, size_of(attributes[k]));
    }
    return CUDA_SUCCESS;
}

CUresult cuPointerSetAttribute(const void* value, CUpointer_attribute attribute, CUdeviceptr pointer) {
    // Copies are ordered with the host's anyway.
    if (!value || attribute != CU_POINTER_ATTRIBUTE_SYNC_MEMOPS || !block_of(pointer)) return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
}

CUresult cuIpcGetMemHandle(CUipcMemHandle* handle, CUdeviceptr pointer) {
    return code_of(rt::cudaIpcGetMemHandle(handle, at(pointer)));
}
CUresult cuIpcOpenMemHandle_v2(CUdeviceptr* pointer, CUipcMemHandle handle, unsigned flags) {
    return code_of(rt::cudaIpcOpenMemHandle(at(pointer), handle, flags));
}
CUresult cuIpcCloseMemHandle(CUdeviceptr pointer) { return code_of(rt::cudaIpcCloseMemHandle(at(pointer))); }
CUresult cuIpcGetEventHandle(CUipcEventHandle* handle, CUevent event) {
    return code_of(rt::cudaIpcGetEventHandle(handle, event));
}
CUresult cuIpcOpenEventHandle(CUevent* event, CUipcEventHandle handle) {
    return code_of(rt::cudaIpcOpenEventHandle(event, handle));
}

CUresult cuMemAllocAsync(CUdeviceptr* pointer, size_t bytes, CUstream stream) {
    return code_of(rt::cudaMallocAsync(at(pointer), bytes, stream));
}
CUresult cuMemFreeAsync(CUdeviceptr pointer, CUstream stream) {
    return code_of(rt::cudaFreeAsync(at(pointer), stream));
}
CUresult cuMemAllocFromPoolAsync(CUdeviceptr* pointer, size_t bytes, CUmemoryPool pool, CUstream stream) {
    return code_of(rt::cudaMallocFromPoolAsync(at(pointer), bytes, pool, stream));
}
CUresult cuMemPoolCreate(CUmemoryPool* pool, const CUmemPoolProps* properties) {
    return code_of(rt::cudaMemPoolCreate(pool, properties));
}
CUresult cuMemPoolDestroy(CUmemoryPool pool) { return code_of(rt::cudaMemPoolDestroy(pool)); }
CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t keep) { return code_of(rt::cudaMemPoolTrimTo(pool, keep)); }
CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void* value) {
    return code_of(rt::cudaMemPoolSetAttribute(pool, attribute, value));
}
CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void* value) {
    return code_of(rt::cudaMemPoolGetAttribute(pool, attribute, value));
}
CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc* access, size_t count) {
    return code_of(rt::cudaMemPoolSetAccess(pool, access, count));
}
CUresult cuMemPoolGetAccess(CUmemAccess_flags* flags, CUmemoryPool pool, CUmemLocation* location) {
    return code_of(rt::cudaMemPoolGetAccess(flags, pool, location));
}
CUresult cuMemGetDefaultMemPool(CUmemoryPool* pool, CUmemLocation* location, CUmemAllocationType type) {
    return code_of(rt::cudaMemGetDefaultMemPool(pool, location, type));
}
CUresult cuMemGetMemPool(CUmemoryPool* pool, CUmemLocation* location, CUmemAllocationType type) {
    return code_of(rt::cudaMemGetMemPool(pool, location, type));
}
CUresult cuMemSetMemPool(CUmemLocation* location, CUmemAllocationType type, CUmemoryPool pool) {
    return code_of(rt::cudaMemSetMemPool(location, type, pool));
}

}  // namespace warpwright::cuda_driver::impl
