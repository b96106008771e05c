// A pool keeps attributes and counts bytes only, because freed memory goes back to the device as soon as the stream has
// come that far. The class of pools stands beside the entry points, which alone use it.
#include "cudart/api/memory_pools.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <set>

#include "cudart/api/api.hpp"
#include "cudart/memory/memory_table.hpp"
#include "cudart/state/runtime.hpp"
#include "cudart/work/graph/capture_rules.hpp"
#include "cudart/work/program_observer.hpp"
#include "cudart/work/stream/operation.hpp"
#include "cudart/work/stream/stream.hpp"
#include "support/handle_table.hpp"

namespace warpwright::cudart {
namespace {

/// A pool consists of its attributes, and of the kind of memory it gives: all of it is of the one device, or of the
/// host.
struct Pool {
    Block::Kind kind = Block::Kind::device;
    std::uint64_t attributes[9] = {};
    std::uint64_t used = 0, high = 0;  ///< bytes
};

/// All pools. Its functions take the lock; `locked` gives it to a function for several steps.
class Pools {
public:
    static Pools& get() {
        static auto* pools = new Pools;
        return *pools;
    }

    template <class F>
    auto locked(F work) {
        const std::lock_guard lock(mutex_);
        return work();
    }
    /// What `work` says of a pool; cudaErrorInvalidValue of a handle of none.
    template <class F>
    cudaError_t with(cudaMemPool_t handle, F work) {
        const std::lock_guard lock(mutex_);
        const auto pool = pools_.find(handle);
        return pool == pools_.end() ? cudaErrorInvalidValue : work(pool->second);
    }

    cudaMemPool_t create(Block::Kind kind) {
        return locked([&] { return make(kind); });
    }
    cudaMemPool_t default_of(Block::Kind kind) {
        return locked([&] { return default_here(kind); });
    }
    cudaMemPool_t in_use(Block::Kind kind) {
        return locked([&] {
            const auto found = chosen_.find(kind);
            return found == chosen_.end() ? default_here(kind) : found->second;
        });
    }
    cudaError_t choose(Block::Kind kind, cudaMemPool_t handle) {
        return with(handle, [&](const Pool& pool) {
            if (pool.kind != kind) return cudaErrorInvalidValue;
            chosen_[kind] = handle;
            return cudaSuccess;
        });
    }
    cudaError_t destroy(cudaMemPool_t handle) {
        return with(handle, [&](const Pool& pool) {
            if (const auto own = defaults_.find(pool.kind); own != defaults_.end() && own->second == handle)
                return cudaErrorInvalidValue;
            std::erase_if(chosen_, [&](const auto& c) { return c.second == handle; });
            pools_.erase(handle);
            return cudaSuccess;
        });
    }

    /// The pool has given this memory.
    void gave(cudaMemPool_t handle, void* pointer, std::uint64_t bytes) {
        locked([&] {
            owners_[pointer] = {handle, bytes};
            const auto at = pools_.find(handle);
            if (at == pools_.end()) return;  // destroyed meanwhile
            auto& pool = at->second;
            pool.used += bytes;
            pool.high = std::max(pool.high, pool.used);
        });
    }
    bool owns(void* pointer) {
        return locked([&] { return owners_.contains(pointer); });
    }
    /// The memory is given back. The bytes of a pool that was destroyed before are counted no more.
    void take_back(void* pointer) {
        locked([&] {
            const auto owner = owners_.find(pointer);
            if (owner == owners_.end()) return;
            if (const auto pool = pools_.find(owner->second.pool); pool != pools_.end())
                pool->second.used -= std::min(pool->second.used, owner->second.bytes);
            owners_.erase(owner);
        });
    }
    /// Memory that is freed in the order of a stream, between the call and that. False: it is being freed already.
    bool begin_freeing(void* pointer) {
        return locked([&] { return freeing_.insert(pointer).second; });
    }
    void end_freeing(void* pointer) {
        locked([&] { freeing_.erase(pointer); });
    }

private:
    struct Owner {
        cudaMemPool_t pool;
        std::uint64_t bytes;
    };

    cudaMemPool_t make(Block::Kind kind) {
        Pool p;
        p.kind = kind;
        p.attributes[cudaMemPoolReuseFollowEventDependencies] = p.attributes[cudaMemPoolReuseAllowOpportunistic] =
            p.attributes[cudaMemPoolReuseAllowInternalDependencies] = 1;
        const auto handle = fresh_handle<cudaMemPool_t>();
        pools_.emplace(handle, p);
        return handle;
    }
    cudaMemPool_t default_here(Block::Kind kind) {
        auto& handle = defaults_[kind];
        if (!handle) handle = make(kind);
        return handle;
    }

    std::mutex mutex_;
    std::map<cudaMemPool_t, Pool> pools_;
    std::map<Block::Kind, cudaMemPool_t> defaults_;
    std::map<Block::Kind, cudaMemPool_t> chosen_;  ///< in place of the default ones
    std::map<void*, Owner> owners_;                ///< of each allocation that is not freed yet
    std::set<void*> freeing_;
};

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

cudaError_t allocate_in(cudaMemPool_t handle, void** pointer, std::size_t bytes, cudaStream_t stream_handle) {
    if (!pointer) return cudaErrorInvalidValue;
    Block::Kind kind{};
    const auto known = Pools::get().with(handle, [&](const Pool& pool) {
        kind = pool.kind;
        return cudaSuccess;
    });
    if (known != cudaSuccess) return known;
    auto stream = Scheduler::get().find(stream_handle);
    if (!stream) return cudaErrorInvalidResourceHandle;
    if (auto e = capture_rules::check(stream); e != cudaSuccess) return e;
    if (stream->capture) {
        if (kind != Block::Kind::device) {
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
    const unsigned flags = kind == Block::Kind::managed ? cudaMemAttachGlobal : 0;
    if (auto e = MemoryTable::get().allocate(pointer, bytes, kind, flags); e != cudaSuccess) return e;
    Pools::get().gave(handle, *pointer, bytes);
    if (auto& scheduler = Scheduler::get(); scheduler.keeps_order()) {
        const auto ticket = scheduler.put(stream, [] { return timeline::Work{}; }, By::caller);
        if (const auto block = MemoryTable::get().find(*pointer))
            for (auto* observer : program_observers()) observer->allocated(*block, ticket.issued);
    }
    return cudaSuccess;
}

/// Frees memory where the order of work is looked at: what may still use it keeps it from going.
cudaError_t free_in_order(const Block& block, const std::shared_ptr<Stream>& stream) {
    auto* const pointer = reinterpret_cast<void*>(block.address);
    Pools::get().end_freeing(pointer);
    if (!MemoryTable::get().take(pointer, block.kind == Block::Kind::pinned)) return cudaErrorInvalidValue;
    auto& scheduler = Scheduler::get();
    const auto ticket = scheduler.put(stream, [] { return timeline::Work{}; }, By::caller);
    bool held = false;
    for (auto* observer : program_observers()) held |= observer->freed(block, ticket.issued);
    if (held) return cudaSuccess;
    const auto give_back = [block] {
        (void)MemoryTable::get().give_back(block);
        return timeline::Work{};
    };
    return submit(stream, {cudaGraphNodeTypeMemFree, give_back}, Wait::no, true);
}

bool wrong(cudaMemPool_t pool, const void* other) { return !pool || !other; }

}  // namespace

void forget_pool_memory(void* pointer) { Pools::get().take_back(pointer); }

namespace impl {

cudaError_t cudaMallocAsync(void** pointer, size_t bytes, cudaStream_t stream) {
    return allocate_in(Pools::get().in_use(Block::Kind::device), pointer, bytes, stream);
}
cudaError_t cudaMallocFromPoolAsync(void** pointer, size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
    return allocate_in(pool, pointer, bytes, stream);
}

cudaError_t cudaFreeAsync(void* pointer, cudaStream_t handle) {
    auto stream = Scheduler::get().find(handle);
    if (!stream) return cudaErrorInvalidResourceHandle;
    if (auto e = capture_rules::check(stream); e != cudaSuccess) return e;
    if (!pointer) return cudaSuccess;
    const bool captured = stream->capture != nullptr;
    const auto block = MemoryTable::get().find(pointer, captured ? Absent::found : Absent::hidden);
    if (!block || (block->kind != Block::Kind::device && !Pools::get().owns(pointer))) return cudaErrorInvalidValue;
    if (captured) {
        // The graph keeps the memory that its nodes allocate.
        auto* node = stream->capture->put({cudaGraphNodeTypeMemFree, [] { return timeline::Work{}; }}, stream);
        node->freed = pointer;
        return cudaSuccess;
    }
    // A launch of the graph may follow at once.
    if (block->graph != Block::Graph::none) return MemoryTable::get().release(pointer, false);
    if (block->address != reinterpret_cast<std::uint64_t>(pointer) || !Pools::get().begin_freeing(pointer))
        return cudaErrorInvalidValue;
    forget_pool_memory(pointer);
    const bool host = block->kind == Block::Kind::pinned;
    if (Scheduler::get().keeps_order()) return free_in_order(*block, stream);
    return submit(stream,
                  {cudaGraphNodeTypeMemFree,
                   [pointer, host] {
                       // The address may be another allocation's as soon as it is released.
                       Pools::get().end_freeing(pointer);
                       (void)MemoryTable::get().release(pointer, host);
                       return timeline::Work{};
                   }},
                  Wait::no, true);
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int) {
    if (!pool) return cudaErrorInvalidValue;
    *pool = Pools::get().default_of(Block::Kind::device);
    return cudaSuccess;
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int) {
    if (!pool) return cudaErrorInvalidValue;
    *pool = Pools::get().in_use(Block::Kind::device);
    return cudaSuccess;
}

cudaError_t cudaDeviceSetMemPool(int, cudaMemPool_t pool) { return Pools::get().choose(Block::Kind::device, pool); }

cudaError_t cudaMemGetDefaultMemPool(cudaMemPool_t* pool, cudaMemLocation* location, cudaMemAllocationType type) {
    if (!pool || !location) return cudaErrorInvalidValue;
    Block::Kind kind;
    if (auto e = kind_of(*location, type, kind); e != cudaSuccess) return e;
    *pool = Pools::get().default_of(kind);
    return cudaSuccess;
}

cudaError_t cudaMemGetMemPool(cudaMemPool_t* pool, cudaMemLocation* location, cudaMemAllocationType type) {
    if (!pool || !location) return cudaErrorInvalidValue;
    Block::Kind kind;
    if (auto e = kind_of(*location, type, kind); e != cudaSuccess) return e;
    *pool = Pools::get().in_use(kind);
    return cudaSuccess;
}

cudaError_t cudaMemSetMemPool(cudaMemLocation* location, cudaMemAllocationType type, cudaMemPool_t pool) {
    if (wrong(pool, location)) return cudaErrorInvalidValue;
    Block::Kind kind;
    if (auto e = kind_of(*location, type, kind); e != cudaSuccess) return e;
    return Pools::get().choose(kind, pool);
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* properties) {
    if (!pool || !properties) return cudaErrorInvalidValue;
    if (properties->handleTypes != cudaMemHandleTypeNone) {
        Runtime::get().say("cudaMemPoolCreate: pools that other processes share are not supported");
        return cudaErrorNotSupported;
    }
    Block::Kind kind;
    if (auto e = kind_of(properties->location, properties->allocType, kind); e != cudaSuccess) return e;
    *pool = Pools::get().create(kind);
    return cudaSuccess;
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) { return Pools::get().destroy(pool); }

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t) {
    return Pools::get().with(pool, [](const Pool&) { return cudaSuccess; });
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
    if (wrong(pool, value) || attribute < 1 || attribute > 8) return cudaErrorInvalidValue;
    return Pools::get().with(pool, [&](Pool& p) {
        if (attribute <= 3)
            p.attributes[attribute] = static_cast<std::uint64_t>(*static_cast<int*>(value));
        else if (attribute == cudaMemPoolAttrUsedMemHigh)
            p.high = p.used;
        else
            p.attributes[attribute] = *static_cast<std::uint64_t*>(value);
        return cudaSuccess;
    });
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
    if (wrong(pool, value) || attribute < 1 || attribute > 8) return cudaErrorInvalidValue;
    return Pools::get().with(pool, [&](const Pool& p) {
        const bool now = attribute == cudaMemPoolAttrUsedMemCurrent || attribute == cudaMemPoolAttrReservedMemCurrent;
        if (attribute <= 3)
            *static_cast<int*>(value) = static_cast<int>(p.attributes[attribute]);
        else if (attribute == cudaMemPoolAttrReleaseThreshold)
            *static_cast<std::uint64_t*>(value) = p.attributes[attribute];
        else
            *static_cast<std::uint64_t*>(value) = now ? p.used : p.high;
        return cudaSuccess;
    });
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc* access, size_t) {
    if (wrong(pool, access)) return cudaErrorInvalidValue;
    return Pools::get().with(pool, [](const Pool&) { return cudaSuccess; });
}

cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags* flags, cudaMemPool_t pool, cudaMemLocation* location) {
    if (!flags || wrong(pool, location)) return cudaErrorInvalidValue;
    return Pools::get().with(pool, [&](const Pool&) {
        *flags = cudaMemAccessFlagsProtReadWrite;
        return cudaSuccess;
    });
}

}  // namespace impl
}  // namespace warpwright::cudart
