#include "cudart/api/memory_pools.hpp"

#include <algorithm>
#include <map>

#include "cudart/api/api.hpp"
#include "cudart/memory/memory_table.hpp"
#include "cudart/state/runtime.hpp"
#include "cudart/work/graph/capture_rules.hpp"
#include "cudart/work/stream/operation.hpp"
#include "cudart/work/stream/stream.hpp"

namespace warpwright::cudart {
namespace {

/// A pool consists of its attributes, and of the kind of memory it gives: all of it is of the one device, or of the
/// host.
struct Pool {
    Block::Kind kind = Block::Kind::device;
    std::uint64_t attributes[9] = {};
    std::uint64_t used = 0, high = 0;  ///< bytes
};

Pool make_pool(Block::Kind kind) {
    Pool p;
    p.kind = kind;
    p.attributes[cudaMemPoolReuseFollowEventDependencies] = p.attributes[cudaMemPoolReuseAllowOpportunistic] =
        p.attributes[cudaMemPoolReuseAllowInternalDependencies] = 1;
    return p;
}

Pool& default_pool(Block::Kind kind = Block::Kind::device) {
    static auto* pools = new std::map<Block::Kind, Pool>;
    return pools->try_emplace(kind, make_pool(kind)).first->second;
}
bool is_default(const Pool* pool) { return pool == &default_pool(pool->kind); }

/// The pools that were chosen in place of the default ones.
std::map<Block::Kind, cudaMemPool_t>& chosen() {
    static auto* pools = new std::map<Block::Kind, cudaMemPool_t>;
    return *pools;
}

/// The pool of each allocation that is not freed yet. The bytes of a pool that is destroyed before are counted no more.
std::map<void*, Pool*>& owners() {
    static auto* all = new std::map<void*, Pool*>;
    return *all;
}

cudaMemPool_t handle_of(Pool& pool) { return reinterpret_cast<cudaMemPool_t>(&pool); }
Pool* pool_of(cudaMemPool_t handle) { return reinterpret_cast<Pool*>(handle); }
Pool& pool_in_use(Block::Kind kind) {
    const auto found = chosen().find(kind);
    return found == chosen().end() ? default_pool(kind) : *pool_of(found->second);
}

/// Which memory a pool of this type and place has.
cudaError_t kind_of(const cudaMemLocation& place, cudaMemAllocationType type, Block::Kind& kind) {
    const bool host = place.type == cudaMemLocationTypeHost || place.type == cudaMemLocationTypeHostNuma ||
                      place.type == cudaMemLocationTypeHostNumaCurrent;
    if (type == cudaMemAllocationTypeManaged)
        kind = Block::Kind::managed;
    else if (type != cudaMemAllocationTypePinned)
        return cudaErrorInvalidValue;
    else if (host)
        kind = Block::Kind::pinned;
    else if (place.type != cudaMemLocationTypeDevice)
        return cudaErrorInvalidValue;
    else
        kind = Block::Kind::device;
    if (place.type == cudaMemLocationTypeDevice && place.id != 0) return cudaErrorInvalidDevice;
    return cudaSuccess;
}

cudaError_t allocate_in(Pool& pool, void** pointer, std::size_t bytes, cudaStream_t handle) {
    if (!pointer) return cudaErrorInvalidValue;
    auto stream = Scheduler::get().find(handle);
    if (!stream) return cudaErrorInvalidResourceHandle;
    if (auto e = capture_rules::check(stream); e != cudaSuccess) return e;
    if (stream->capture) {
        if (pool.kind != Block::Kind::device) {
            Runtime::get().say("cudaMallocFromPoolAsync: a graph's memory nodes take the device's memory only");
            return cudaErrorNotSupported;
        }
        auto& graph = *stream->capture->graph;
        if (auto e = allocate_for(graph, pointer, bytes); e != cudaSuccess) return e;
        auto* node = stream->capture->put({cudaGraphNodeTypeMemAlloc, [] { return timeline::Work{}; }}, stream);
        node->alloc.bytesize = bytes;
        node->alloc.dptr = *pointer;
        return cudaSuccess;
    }
    const unsigned flags = pool.kind == Block::Kind::managed ? cudaMemAttachGlobal : 0;
    if (auto e = MemoryTable::get().allocate(pointer, bytes, pool.kind, flags); e != cudaSuccess) return e;
    owners()[*pointer] = &pool;
    pool.used += bytes;
    pool.high = std::max(pool.high, pool.used);
    return cudaSuccess;
}

bool wrong(cudaMemPool_t pool, const void* other) { return !pool || !other; }

}  // namespace

void forget_pool_memory(void* pointer) {
    const auto owner = owners().find(pointer);
    if (owner == owners().end()) return;
    const auto block = MemoryTable::get().find(pointer);
    if (owner->second && block) owner->second->used -= std::min(owner->second->used, block->bytes);
    owners().erase(owner);
}

namespace impl {

cudaError_t cudaMallocAsync(void** pointer, size_t bytes, cudaStream_t stream) {
    return allocate_in(pool_in_use(Block::Kind::device), pointer, bytes, stream);
}
cudaError_t cudaMallocFromPoolAsync(void** pointer, size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
    return pool ? allocate_in(*pool_of(pool), pointer, bytes, stream) : cudaErrorInvalidValue;
}

cudaError_t cudaFreeAsync(void* pointer, cudaStream_t handle) {
    auto stream = Scheduler::get().find(handle);
    if (!stream) return cudaErrorInvalidResourceHandle;
    if (auto e = capture_rules::check(stream); e != cudaSuccess) return e;
    if (!pointer) return cudaSuccess;
    const bool captured = stream->capture != nullptr;
    const auto block = MemoryTable::get().find(pointer, captured ? Absent::found : Absent::hidden);
    const auto owner = owners().find(pointer);
    if (!block || (block->kind != Block::Kind::device && owner == owners().end())) return cudaErrorInvalidValue;
    if (captured) {
        // The graph keeps the memory that its nodes allocate.
        auto* node = stream->capture->put({cudaGraphNodeTypeMemFree, [] { return timeline::Work{}; }}, stream);
        node->freed = pointer;
        return cudaSuccess;
    }
    // A launch of the graph may follow at once.
    if (block->graph != Block::Graph::none) return MemoryTable::get().release(pointer, false);
    forget_pool_memory(pointer);
    return submit(stream,
                  {cudaGraphNodeTypeMemFree,
                   [pointer, host = block->kind == Block::Kind::pinned] {
                       (void)MemoryTable::get().release(pointer, host);
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
    *pool = handle_of(pool_in_use(Block::Kind::device));
    return cudaSuccess;
}

cudaError_t cudaDeviceSetMemPool(int, cudaMemPool_t pool) {
    if (!pool || pool_of(pool)->kind != Block::Kind::device) return cudaErrorInvalidValue;
    chosen()[Block::Kind::device] = pool;
    return cudaSuccess;
}

cudaError_t cudaMemGetDefaultMemPool(cudaMemPool_t* pool, cudaMemLocation* location, cudaMemAllocationType type) {
    if (!pool || !location) return cudaErrorInvalidValue;
    Block::Kind kind;
    if (auto e = kind_of(*location, type, kind); e != cudaSuccess) return e;
    *pool = handle_of(default_pool(kind));
    return cudaSuccess;
}

cudaError_t cudaMemGetMemPool(cudaMemPool_t* pool, cudaMemLocation* location, cudaMemAllocationType type) {
    if (!pool || !location) return cudaErrorInvalidValue;
    Block::Kind kind;
    if (auto e = kind_of(*location, type, kind); e != cudaSuccess) return e;
    *pool = handle_of(pool_in_use(kind));
    return cudaSuccess;
}

cudaError_t cudaMemSetMemPool(cudaMemLocation* location, cudaMemAllocationType type, cudaMemPool_t pool) {
    if (wrong(pool, location)) return cudaErrorInvalidValue;
    Block::Kind kind;
    if (auto e = kind_of(*location, type, kind); e != cudaSuccess) return e;
    if (pool_of(pool)->kind != kind) return cudaErrorInvalidValue;
    chosen()[kind] = pool;
    return cudaSuccess;
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* properties) {
    if (!pool || !properties) return cudaErrorInvalidValue;
    if (properties->handleTypes != cudaMemHandleTypeNone) {
        Runtime::get().say("cudaMemPoolCreate: pools that other processes share are not supported");
        return cudaErrorNotSupported;
    }
    Block::Kind kind;
    if (auto e = kind_of(properties->location, properties->allocType, kind); e != cudaSuccess) return e;
    *pool = handle_of(*new Pool(make_pool(kind)));
    return cudaSuccess;
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
    if (!pool || is_default(pool_of(pool))) return cudaErrorInvalidValue;
    std::erase_if(chosen(), [&](const auto& c) { return c.second == pool; });
    for (auto& [pointer, owner] : owners())
        if (owner == pool_of(pool)) owner = nullptr;
    delete pool_of(pool);
    return cudaSuccess;
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t) { return pool ? cudaSuccess : cudaErrorInvalidValue; }

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
    if (wrong(pool, value) || attribute < 1 || attribute > 8) return cudaErrorInvalidValue;
    auto& p = *pool_of(pool);
    if (attribute <= 3)
        p.attributes[attribute] = static_cast<std::uint64_t>(*static_cast<int*>(value));
    else if (attribute == cudaMemPoolAttrUsedMemHigh)
        p.high = p.used;
    else
        p.attributes[attribute] = *static_cast<std::uint64_t*>(value);
    return cudaSuccess;
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
    if (wrong(pool, value) || attribute < 1 || attribute > 8) return cudaErrorInvalidValue;
    const auto& p = *pool_of(pool);
    if (attribute <= 3)
        *static_cast<int*>(value) = static_cast<int>(p.attributes[attribute]);
    else if (attribute == cudaMemPoolAttrReleaseThreshold)
        *static_cast<std::uint64_t*>(value) = p.attributes[attribute];
    else
        *static_cast<std::uint64_t*>(value) =
            attribute == cudaMemPoolAttrUsedMemCurrent || attribute == cudaMemPoolAttrReservedMemCurrent ? p.used
                                                                                                         : p.high;
    return cudaSuccess;
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc* access, size_t) {
    return wrong(pool, access) ? cudaErrorInvalidValue : cudaSuccess;
}

cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags* flags, cudaMemPool_t pool, cudaMemLocation* location) {
    if (!flags || wrong(pool, location)) return cudaErrorInvalidValue;
    *flags = cudaMemAccessFlagsProtReadWrite;
    return cudaSuccess;
}

}  // namespace impl
}  // namespace warpwright::cudart
