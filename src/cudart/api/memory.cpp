// Memory: device, page-locked, managed, registered; pools.
#include <algorithm>
#include <cstring>
#include <vector>

#include "cudart/api/api.hpp"
#include "cudart/graph/graph.hpp"
#include "cudart/memory/extents.hpp"
#include "cudart/memory/memory_table.hpp"
#include "cudart/state/runtime.hpp"
#include "cudart/stream/operation.hpp"
#include "cudart/stream/stream.hpp"

namespace warpwright::cudart {
namespace {

constexpr std::size_t kPitch = 512;

/// Bytes from row to row that cudaMallocPitch and cudaMalloc3D choose.
std::size_t pitch_of(std::size_t width) {
    const auto up = sum(width, kPitch - 1);
    return up == kNoSize ? kNoSize : up / kPitch * kPitch;
}

/// A pool consists of its attributes: all memory comes from the one device.
struct Pool {
    std::uint64_t attributes[9] = {};
    std::uint64_t used = 0, high = 0;
};

Pool& default_pool() {
    static auto* pool = [] {
        auto* p = new Pool;
        p->attributes[cudaMemPoolReuseFollowEventDependencies] = p->attributes[cudaMemPoolReuseAllowOpportunistic] =
            p->attributes[cudaMemPoolReuseAllowInternalDependencies] = 1;
        return p;
    }();
    return *pool;
}

cudaMemPool_t chosen_pool = nullptr;
cudaMemPool_t handle_of(Pool& pool) { return reinterpret_cast<cudaMemPool_t>(&pool); }
Pool* pool_of(cudaMemPool_t handle) { return reinterpret_cast<Pool*>(handle); }

cudaError_t allocate_in(void** pointer, std::size_t bytes, cudaStream_t handle) {
    if (!pointer) return cudaErrorInvalidValue;
    auto stream = Scheduler::get().find(handle);
    if (!stream) return cudaErrorInvalidResourceHandle;
    if (stream->capture) {
        auto& graph = *stream->capture->graph;
        if (auto e = allocate_for(graph, pointer, bytes); e != cudaSuccess) return e;
        auto* node = stream->capture->put({cudaGraphNodeTypeMemAlloc, [] { return timeline::Work{}; }}, stream);
        node->alloc.bytesize = bytes;
        node->alloc.dptr = *pointer;
        return cudaSuccess;
    }
    auto& pool = default_pool();
    pool.used += bytes;
    pool.high = std::max(pool.high, pool.used);
    return MemoryTable::get().allocate(pointer, bytes, Block::Kind::device);
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
    Scheduler::get().wait_all();
    Runtime::get().flush_print();
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
    Scheduler::get().wait_all();
    return MemoryTable::get().release(pointer, true);
}

cudaError_t cudaHostRegister(void* pointer, size_t bytes, unsigned flags) {
    return MemoryTable::get().adopt(pointer, bytes, flags);
}
cudaError_t cudaHostUnregister(void* pointer) {
    Scheduler::get().wait_all();
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
    if (!pointer || bytes == 0 || (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost))
        return cudaErrorInvalidValue;
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
    *free = *total - std::min<std::size_t>(*total, runtime.memory_used());
    return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
    if (!attributes) return cudaErrorInvalidValue;
    std::memset(static_cast<void*>(attributes), 0, sizeof *attributes);
    auto block = MemoryTable::get().find(pointer);
    auto* address = const_cast<void*>(pointer);
    attributes->device = block ? 0 : cudaInvalidDeviceId;
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
cudaError_t cudaMemAdvise(const void* pointer, size_t, cudaMemoryAdvise, cudaMemLocation) {
    auto block = MemoryTable::get().find(pointer);
    return block && block->kind == Block::Kind::managed ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaMemPrefetchAsync(const void* pointer, size_t, cudaMemLocation, unsigned, cudaStream_t stream) {
    if (!Scheduler::get().find(stream)) return cudaErrorInvalidResourceHandle;
    auto block = MemoryTable::get().find(pointer);
    return block && block->kind == Block::Kind::managed ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaMemRangeGetAttribute(void* data, size_t size, cudaMemRangeAttribute, const void* pointer, size_t) {
    auto block = MemoryTable::get().find(pointer);
    if (!data || size < 4 || !block || block->kind != Block::Kind::managed) return cudaErrorInvalidValue;
    std::memset(data, 0, size);
    return cudaSuccess;
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void*, size_t, unsigned) {
    return Scheduler::get().find(stream) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

cudaError_t cudaMallocAsync(void** pointer, size_t bytes, cudaStream_t stream) {
    return allocate_in(pointer, bytes, stream);
}
cudaError_t cudaMallocFromPoolAsync(void** pointer, size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
    return pool ? allocate_in(pointer, bytes, stream) : cudaErrorInvalidValue;
}

cudaError_t cudaFreeAsync(void* pointer, cudaStream_t handle) {
    auto stream = Scheduler::get().find(handle);
    if (!stream) return cudaErrorInvalidResourceHandle;
    if (!pointer) return cudaSuccess;
    const bool captured = stream->capture != nullptr;
    auto block = MemoryTable::get().find(pointer, captured ? Absent::found : Absent::hidden);
    if (!block || block->kind != Block::Kind::device) return cudaErrorInvalidValue;
    if (captured) {
        // The graph keeps the memory that its nodes allocate.
        auto* node = stream->capture->put({cudaGraphNodeTypeMemFree, [] { return timeline::Work{}; }}, stream);
        node->freed = pointer;
        return cudaSuccess;
    }
    // A launch of the graph may follow at once.
    if (block->graph != Block::Graph::none) return MemoryTable::get().release(pointer, false);
    auto& pool = default_pool();
    pool.used -= std::min(pool.used, block->bytes);
    return submit(stream,
                  {cudaGraphNodeTypeMemFree,
                   [pointer] {
                       (void)MemoryTable::get().release(pointer, false);
                       return timeline::Work{};
                   }},
                  Wait::no, true);
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int) {
    if (!pool) return cudaErrorInvalidValue;
    *pool = handle_of(default_pool());
    return cudaSuccess;
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int) {
    if (!pool) return cudaErrorInvalidValue;
    *pool = chosen_pool ? chosen_pool : handle_of(default_pool());
    return cudaSuccess;
}

cudaError_t cudaDeviceSetMemPool(int, cudaMemPool_t pool) {
    chosen_pool = pool;
    return cudaSuccess;
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* properties) {
    if (!pool || !properties) return cudaErrorInvalidValue;
    *pool = handle_of(*new Pool(default_pool()));
    return cudaSuccess;
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
    if (!pool || pool_of(pool) == &default_pool()) return cudaErrorInvalidValue;
    if (chosen_pool == pool) chosen_pool = nullptr;
    delete pool_of(pool);
    return cudaSuccess;
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t) { return pool ? cudaSuccess : cudaErrorInvalidValue; }

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
    if (!pool || !value || attribute < 1 || attribute > 8) return cudaErrorInvalidValue;
    if (attribute <= 3)
        pool_of(pool)->attributes[attribute] = static_cast<std::uint64_t>(*static_cast<int*>(value));
    else if (attribute == cudaMemPoolAttrUsedMemHigh)
        default_pool().high = default_pool().used;
    else
        pool_of(pool)->attributes[attribute] = *static_cast<std::uint64_t*>(value);
    return cudaSuccess;
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
    if (!pool || !value || attribute < 1 || attribute > 8) return cudaErrorInvalidValue;
    const auto& p = *pool_of(pool);
    if (attribute <= 3)
        *static_cast<int*>(value) = static_cast<int>(p.attributes[attribute]);
    else if (attribute == cudaMemPoolAttrReleaseThreshold)
        *static_cast<std::uint64_t*>(value) = p.attributes[attribute];
    else
        *static_cast<std::uint64_t*>(value) =
            attribute == cudaMemPoolAttrUsedMemCurrent || attribute == cudaMemPoolAttrReservedMemCurrent
                ? default_pool().used
                : default_pool().high;
    return cudaSuccess;
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc* access, size_t) {
    return pool && access ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags* flags, cudaMemPool_t pool, cudaMemLocation* location) {
    if (!flags || !pool || !location) return cudaErrorInvalidValue;
    *flags = cudaMemAccessFlagsProtReadWrite;
    return cudaSuccess;
}

}  // namespace impl
}  // namespace warpwright::cudart
