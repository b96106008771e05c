// Memory: device, page-locked, managed, registered. Pools: memory_pools.cpp.
#include <algorithm>
#include <cstring>
#include <vector>

#include "cudart/api/api.hpp"
#include "cudart/api/memory_pools.hpp"
#include "cudart/memory/advice.hpp"
#include "cudart/memory/extents.hpp"
#include "cudart/memory/memory_table.hpp"
#include "cudart/state/runtime.hpp"
#include "cudart/work/graph/graph.hpp"
#include "cudart/work/stream/operation.hpp"
#include "cudart/work/stream/stream.hpp"
#include "cudart/work/stream/wait_for_device.hpp"

namespace warpwright::cudart {
namespace {

constexpr std::size_t kPitch = 512;

/// Bytes from row to row that cudaMallocPitch and cudaMalloc3D choose.
std::size_t pitch_of(std::size_t width) {
    const auto up = sum(width, kPitch - 1);
    return up == kNoSize ? kNoSize : up / kPitch * kPitch;
}

}  // namespace

namespace {

bool is_managed(const void* pointer, size_t bytes) {
    const auto block = MemoryTable::get().find(pointer);
    if (!block || block->kind != Block::Kind::managed || bytes == 0) return false;
    return bytes <= block->bytes - (reinterpret_cast<std::uint64_t>(pointer) - block->address);
}

/// A place as the older attributes tell it: a device's number, the host's, or none.
int number_of(const cudaMemLocation& l) {
    if (l.type == cudaMemLocationTypeNone) return cudaInvalidDeviceId;
    return l.type == cudaMemLocationTypeDevice ? l.id : cudaCpuDeviceId;
}

cudaError_t one_attribute(int& out, cudaMemRangeAttribute attribute, const MemoryAdvice::State& state) {
    switch (attribute) {
        case cudaMemRangeAttributeReadMostly:
            out = state.read_mostly;
            return cudaSuccess;
        case cudaMemRangeAttributePreferredLocation:
            out = number_of(state.preferred);
            return cudaSuccess;
        case cudaMemRangeAttributeLastPrefetchLocation:
            out = number_of(state.prefetched);
            return cudaSuccess;
        case cudaMemRangeAttributePreferredLocationType:
            out = state.preferred.type;
            return cudaSuccess;
        case cudaMemRangeAttributePreferredLocationId:
            out = state.preferred.id;
            return cudaSuccess;
        case cudaMemRangeAttributeLastPrefetchLocationType:
            out = state.prefetched.type;
            return cudaSuccess;
        case cudaMemRangeAttributeLastPrefetchLocationId:
            out = state.prefetched.id;
            return cudaSuccess;
        default:
            return cudaErrorInvalidValue;
    }
}

}  // namespace

namespace impl {

cudaError_t cudaMalloc(void** pointer, size_t bytes) {
    if (!pointer) return cudaErrorInvalidValue;
    if (bytes == 0) {
        *pointer = nullptr;
        return cudaSuccess;
    }
    return MemoryTable::get().allocate(pointer, bytes, Block::Kind::device);
}

cudaError_t cudaFree(void* pointer) {
    if (!pointer) return Runtime::get().device() ? cudaSuccess : cudaErrorInitializationError;
    const auto block = MemoryTable::get().find(pointer);
    const auto e = block && block->of_device() ? wait_for_device(block->device) : wait_for_devices();
    if (e != cudaSuccess) return e;
    Runtime::get().flush_print();
    forget_pool_memory(pointer);
    return MemoryTable::get().release(pointer, false);
}

cudaError_t cudaHostAlloc(void** pointer, size_t bytes, unsigned flags) {
    if (!pointer) return cudaErrorInvalidValue;
    if (bytes == 0) {
        *pointer = nullptr;
        return cudaSuccess;
    }
    return MemoryTable::get().allocate(pointer, bytes, Block::Kind::pinned, flags);
}

cudaError_t cudaMallocHost(void** pointer, size_t bytes) { return impl::cudaHostAlloc(pointer, bytes, 0); }

cudaError_t cudaFreeHost(void* pointer) {
    if (!pointer) return cudaSuccess;
    if (auto e = wait_for_devices(); e != cudaSuccess) return e;
    forget_pool_memory(pointer);
    return MemoryTable::get().release(pointer, true);
}

cudaError_t cudaHostRegister(void* pointer, size_t bytes, unsigned flags) {
    constexpr unsigned known =
        cudaHostRegisterPortable | cudaHostRegisterMapped | cudaHostRegisterIoMemory | cudaHostRegisterReadOnly;
    if (flags & ~known) return cudaErrorInvalidValue;
    return MemoryTable::get().adopt(pointer, bytes, flags);
}
cudaError_t cudaHostUnregister(void* pointer) {
    if (auto e = wait_for_devices(); e != cudaSuccess) return e;
    if (const auto block = MemoryTable::get().find(pointer); block && block->kind == Block::Kind::imported)
        return cudaErrorHostMemoryNotRegistered;
    return MemoryTable::get().disown(pointer);
}

cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned) {
    if (!device || !host) return cudaErrorInvalidValue;
    auto block = MemoryTable::get().find(host);
    if (!block || block->kind == Block::Kind::device || block->kind == Block::Kind::imported)
        return cudaErrorInvalidValue;
    *device = host;
    return cudaSuccess;
}

cudaError_t cudaHostGetFlags(unsigned* flags, void* host) {
    auto block = MemoryTable::get().find(host);
    if (!flags || !block || (block->kind != Block::Kind::pinned && block->kind != Block::Kind::registered))
        return cudaErrorInvalidValue;
    *flags = block->flags | cudaHostAllocMapped;
    return cudaSuccess;
}

cudaError_t cudaMallocManaged(void** pointer, size_t bytes, unsigned flags) {
    if (!pointer || (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost)) return cudaErrorInvalidValue;
    if (bytes == 0) {
        *pointer = nullptr;
        return cudaSuccess;
    }
    return MemoryTable::get().allocate(pointer, bytes, Block::Kind::managed, flags);
}

cudaError_t cudaMallocPitch(void** pointer, size_t* pitch, size_t width, size_t height) {
    if (!pointer || !pitch) return cudaErrorInvalidValue;
    *pitch = pitch_of(width);
    return impl::cudaMalloc(pointer, product(*pitch, height));
}

cudaError_t cudaMalloc3D(cudaPitchedPtr* pointer, cudaExtent extent) {
    if (!pointer) return cudaErrorInvalidValue;
    pointer->pitch = pitch_of(extent.width);
    pointer->xsize = extent.width, pointer->ysize = extent.height;
    return impl::cudaMalloc(&pointer->ptr, product(product(pointer->pitch, extent.height), extent.depth));
}

cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
    if (!free || !total) return cudaErrorInvalidValue;
    auto& runtime = Runtime::get();
    *total = runtime.memory_size();
    *free = *total - std::min<std::size_t>(*total, runtime.memory_used(current_device()));
    return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
    if (!attributes) return cudaErrorInvalidValue;
    std::memset(static_cast<void*>(attributes), 0, sizeof *attributes);
    auto block = MemoryTable::get().find(pointer);
    auto* address = const_cast<void*>(pointer);
    attributes->device = block ? static_cast<int>(block->device) : cudaInvalidDeviceId;
    if (!block) {
        attributes->type = cudaMemoryTypeUnregistered;
        return cudaSuccess;
    }
    attributes->devicePointer = address;
    switch (block->kind) {
        case Block::Kind::device:
        case Block::Kind::imported:
            attributes->type = cudaMemoryTypeDevice;
            break;
        case Block::Kind::managed:
            attributes->type = cudaMemoryTypeManaged, attributes->hostPointer = address;
            break;
        default:
            attributes->type = cudaMemoryTypeHost, attributes->hostPointer = address;
            break;
    }
    return cudaSuccess;
}

// Hints have no effect: there is only one place for the memory.
cudaError_t cudaMemAdvise(const void* pointer, size_t bytes, cudaMemoryAdvise advice, cudaMemLocation location) {
    if (!is_managed(pointer, bytes) || advice < cudaMemAdviseSetReadMostly || advice > cudaMemAdviseUnsetAccessedBy)
        return cudaErrorInvalidValue;
    const bool names_place = advice == cudaMemAdviseSetPreferredLocation || advice == cudaMemAdviseSetAccessedBy ||
                             advice == cudaMemAdviseUnsetAccessedBy;
    if (names_place && location.type == cudaMemLocationTypeNone) return cudaErrorInvalidValue;
    MemoryAdvice::get().advise(reinterpret_cast<std::uint64_t>(pointer), bytes, advice, location);
    return cudaSuccess;
}

cudaError_t cudaMemPrefetchAsync(const void* pointer, size_t bytes, cudaMemLocation location, unsigned,
                                 cudaStream_t stream) {
    if (!Scheduler::get().find(stream)) return cudaErrorInvalidResourceHandle;
    if (!is_managed(pointer, bytes)) return cudaErrorInvalidValue;
    MemoryAdvice::get().prefetched(reinterpret_cast<std::uint64_t>(pointer), bytes, location);
    return cudaSuccess;
}

cudaError_t cudaMemRangeGetAttribute(void* data, size_t size, cudaMemRangeAttribute attribute, const void* pointer,
                                     size_t bytes) {
    if (!data || size < sizeof(int) || size % sizeof(int) != 0 || !is_managed(pointer, bytes))
        return cudaErrorInvalidValue;
    const auto state = MemoryAdvice::get().common(reinterpret_cast<std::uint64_t>(pointer), bytes);
    auto* out = static_cast<int*>(data);
    if (attribute == cudaMemRangeAttributeAccessedBy) {
        std::fill_n(out, size / sizeof(int), cudaInvalidDeviceId);
        std::copy_n(state.accessed_by.begin(), std::min(size / sizeof(int), state.accessed_by.size()), out);
        return cudaSuccess;
    }
    if (size != sizeof(int)) return cudaErrorInvalidValue;
    return one_attribute(*out, attribute, state);
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void*, size_t, unsigned) {
    return Scheduler::get().find(stream) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

}  // namespace impl
}  // namespace warpwright::cudart
