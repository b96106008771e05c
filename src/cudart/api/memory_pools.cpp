// A pool keeps attributes and counts bytes only, because freed memory goes back to the device as soon as the stream has
// come that far. The class of pools stands beside the entry points, which alone use it.
#include "cudart/api/memory_pools.hpp"

#include <algorithm>
#include <compare>
#include <map>
#include <mutex>
#include <set>

#include "cudart/api/api.hpp"
#include "cudart/memory/memory_table.hpp"
#include "cudart/state/opened_memory.hpp"
#include "cudart/state/runtime.hpp"
#include "cudart/work/graph/capture_rules.hpp"
#include "cudart/work/graph/graphs_in_use.hpp"
#include "cudart/work/program_observer.hpp"
#include "cudart/work/stream/operation.hpp"
#include "cudart/work/stream/stream.hpp"
#include "support/handle_table.hpp"

namespace warpwright::cudart {
namespace {

/// Which memory a pool gives: that of a device, or of the host.
struct PoolPlace {
    Block::Kind kind = Block::Kind::device;
    unsigned device = 0;  ///< of the host's memory 0
    auto operator<=>(const PoolPlace&) const = default;
};

/// A pool consists of its attributes, and of the memory that it gives.
struct Pool {
    PoolPlace place;
    std::uint16_t open_to = 0;  ///< further devices whose kernels may access it, as bits
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

    cudaMemPool_t create(PoolPlace place) {
        return locked([&] { return make(place); });
    }
    cudaMemPool_t default_of(PoolPlace place) {
        return locked([&] { return default_here(place); });
    }
    cudaMemPool_t in_use(PoolPlace place) {
        return locked([&] {
            const auto found = chosen_.find(place);
            return found == chosen_.end() ? default_here(place) : found->second;
        });
    }
    cudaError_t choose(PoolPlace place, cudaMemPool_t handle) {
        return with(handle, [&](const Pool& pool) {
            if (pool.place != place) return cudaErrorInvalidValue;
            chosen_[place] = handle;
            return cudaSuccess;
        });
    }
    cudaError_t destroy(cudaMemPool_t handle) {
        return with(handle, [&](const Pool& pool) {
            if (const auto own = defaults_.find(pool.place); own != defaults_.end() && own->second == handle)
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
            tell_access(pointer, pool);
            pool.used += bytes;
            pool.high = std::max(pool.high, pool.used);
        });
    }
    /// Kernels of these devices, as bits, may access the pool's memory from now on.
    cudaError_t open(cudaMemPool_t handle, std::uint16_t to, std::uint16_t not_to) {
        return with(handle, [&](Pool& pool) {
            pool.open_to = static_cast<std::uint16_t>((pool.open_to | to) & ~not_to);
            if (to) memory_opened();
            for (const auto& [pointer, owner] : owners_)
                if (owner.pool == handle) tell_access(pointer, pool);
            return cudaSuccess;
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
    /// A device was reset: memory that is gone belongs to no pool any more, nor is it being freed.
    void forget_gone() {
        const auto gone = [](void* pointer) { return !MemoryTable::get().find(pointer, Absent::found); };
        locked([&] {
            for (auto at = owners_.begin(); at != owners_.end();) {
                if (!gone(at->first)) {
                    ++at;
                    continue;
                }
                if (const auto pool = pools_.find(at->second.pool); pool != pools_.end())
                    pool->second.used -= std::min(pool->second.used, at->second.bytes);
                at = owners_.erase(at);
            }
            std::erase_if(freeing_, gone);
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
    /// Of a device's memory: kernels of others reach it where the pool is open to them, whatever access they have else.
    static void tell_access(void* pointer, const Pool& pool) {
        auto& runtime = Runtime::get();
        if (pool.place.kind != Block::Kind::device || runtime.devices() < 2) return;
        runtime.device()->several_devices()->belongs_to(reinterpret_cast<device::Address>(pointer), pool.place.device,
                                                        device::MemoryAccess::by_memory, pool.open_to);
    }

    struct Owner {
        cudaMemPool_t pool;
        std::uint64_t bytes;
    };

    cudaMemPool_t make(PoolPlace place) {
        Pool p;
        p.place = place;
        p.attributes[cudaMemPoolReuseFollowEventDependencies] = p.attributes[cudaMemPoolReuseAllowOpportunistic] =
            p.attributes[cudaMemPoolReuseAllowInternalDependencies] = 1;
        const auto handle = fresh_handle<cudaMemPool_t>();
        pools_.emplace(handle, p);
        return handle;
    }
    cudaMemPool_t default_here(PoolPlace place) {
        auto& handle = defaults_[place];
        if (!handle) handle = make(place);
        return handle;
    }

    std::mutex mutex_;
    std::map<cudaMemPool_t, Pool> pools_;
    std::map<PoolPlace, cudaMemPool_t> defaults_;
    std::map<PoolPlace, cudaMemPool_t> chosen_;  ///< in place of the default ones
    std::map<void*, Owner> owners_;              ///< of each allocation that is not freed yet
    std::set<void*> freeing_;
};

/// Which memory a pool of this type and place has.
cudaError_t place_of(const cudaMemLocation& place, cudaMemAllocationType type, PoolPlace& out) {
    auto& kind = out.kind;
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
    if (place.type == cudaMemLocationTypeDevice && Runtime::get().no_device(place.id)) return cudaErrorInvalidDevice;
    out.device = kind == Block::Kind::device ? static_cast<unsigned>(place.id) : 0;
    return cudaSuccess;
}

cudaError_t allocate_in(cudaMemPool_t handle, void** pointer, std::size_t bytes, cudaStream_t stream_handle) {
    if (!pointer) return cudaErrorInvalidValue;
    PoolPlace place;
    const auto known = Pools::get().with(handle, [&](const Pool& pool) {
        place = pool.place;
        return cudaSuccess;
    });
    const auto kind = place.kind;
    if (known != cudaSuccess) return known;
    auto stream = Scheduler::get().find(stream_handle);
    if (!stream) return cudaErrorInvalidResourceHandle;
    if (auto e = capture_rules::check(stream); e != cudaSuccess) return e;
    if (const auto capture = stream->capture.get()) {
        std::lock_guard graphs(graphs_in_use());
        if (kind != Block::Kind::device) {
            Runtime::get().say("cudaMallocFromPoolAsync: a graph's memory nodes take the device's memory only");
            return cudaErrorNotSupported;
        }
        auto& graph = *capture->graph;
        if (auto e = allocate_for(graph, pointer, bytes); e != cudaSuccess) return e;
        auto* node = capture->put({cudaGraphNodeTypeMemAlloc, [] { return timeline::Work{}; }}, stream);
        node->alloc.bytesize = bytes;
        node->alloc.dptr = *pointer;
        return cudaSuccess;
    }
    const unsigned flags = kind == Block::Kind::managed ? cudaMemAttachGlobal : 0;
    const OnDevice on(kind == Block::Kind::device ? static_cast<int>(place.device) : thread_state().device);
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
void forget_gone_pool_memory() { Pools::get().forget_gone(); }

namespace impl {

cudaError_t cudaMallocAsync(void** pointer, size_t bytes, cudaStream_t stream) {
    const auto of = Scheduler::get().find(stream);
    if (!of) return cudaErrorInvalidResourceHandle;
    return allocate_in(Pools::get().in_use({Block::Kind::device, of->device}), pointer, bytes, stream);
}
cudaError_t cudaMallocFromPoolAsync(void** pointer, size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
    return allocate_in(pool, pointer, bytes, stream);
}

cudaError_t cudaFreeAsync(void* pointer, cudaStream_t handle) {
    auto stream = Scheduler::get().find(handle);
    if (!stream) return cudaErrorInvalidResourceHandle;
    if (auto e = capture_rules::check(stream); e != cudaSuccess) return e;
    if (!pointer) return cudaSuccess;
    const auto capture = stream->capture.get();
    const auto block = MemoryTable::get().find(pointer, capture ? Absent::found : Absent::hidden);
    if (!block || (block->kind != Block::Kind::device && !Pools::get().owns(pointer))) return cudaErrorInvalidValue;
    if (capture) {
        std::lock_guard graphs(graphs_in_use());
        // The graph keeps the memory that its nodes allocate.
        auto* node = capture->put({cudaGraphNodeTypeMemFree, [] { return timeline::Work{}; }}, stream);
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

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
    if (!pool) return cudaErrorInvalidValue;
    if (Runtime::get().no_device(device)) return cudaErrorInvalidDevice;
    *pool = Pools::get().default_of({Block::Kind::device, static_cast<unsigned>(device)});
    return cudaSuccess;
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
    if (!pool) return cudaErrorInvalidValue;
    if (Runtime::get().no_device(device)) return cudaErrorInvalidDevice;
    *pool = Pools::get().in_use({Block::Kind::device, static_cast<unsigned>(device)});
    return cudaSuccess;
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
    if (Runtime::get().no_device(device)) return cudaErrorInvalidDevice;
    return Pools::get().choose({Block::Kind::device, static_cast<unsigned>(device)}, pool);
}

cudaError_t cudaMemGetDefaultMemPool(cudaMemPool_t* pool, cudaMemLocation* location, cudaMemAllocationType type) {
    if (!pool || !location) return cudaErrorInvalidValue;
    PoolPlace place;
    if (auto e = place_of(*location, type, place); e != cudaSuccess) return e;
    *pool = Pools::get().default_of(place);
    return cudaSuccess;
}

cudaError_t cudaMemGetMemPool(cudaMemPool_t* pool, cudaMemLocation* location, cudaMemAllocationType type) {
    if (!pool || !location) return cudaErrorInvalidValue;
    PoolPlace place;
    if (auto e = place_of(*location, type, place); e != cudaSuccess) return e;
    *pool = Pools::get().in_use(place);
    return cudaSuccess;
}

cudaError_t cudaMemSetMemPool(cudaMemLocation* location, cudaMemAllocationType type, cudaMemPool_t pool) {
    if (wrong(pool, location)) return cudaErrorInvalidValue;
    PoolPlace place;
    if (auto e = place_of(*location, type, place); e != cudaSuccess) return e;
    return Pools::get().choose(place, pool);
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* properties) {
    if (!pool || !properties) return cudaErrorInvalidValue;
    if (properties->handleTypes != cudaMemHandleTypeNone) {
        Runtime::get().say("cudaMemPoolCreate: pools that other processes share are not supported");
        return cudaErrorNotSupported;
    }
    PoolPlace place;
    if (auto e = place_of(properties->location, properties->allocType, place); e != cudaSuccess) return e;
    *pool = Pools::get().create(place);
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

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc* access, size_t count) {
    if (wrong(pool, access)) return cudaErrorInvalidValue;
    std::uint16_t to = 0, not_to = 0;
    for (size_t k = 0; k < count; ++k) {
        if (access[k].location.type != cudaMemLocationTypeDevice) continue;
        if (Runtime::get().no_device(access[k].location.id)) return cudaErrorInvalidDevice;
        (access[k].flags == cudaMemAccessFlagsProtNone ? not_to : to) |=
            static_cast<std::uint16_t>(1u << access[k].location.id);
    }
    return Pools::get().open(pool, to, not_to);
}

cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags* flags, cudaMemPool_t handle, cudaMemLocation* location) {
    if (!flags || wrong(handle, location)) return cudaErrorInvalidValue;
    return Pools::get().with(handle, [&](const Pool& pool) {
        const bool other = pool.place.kind == Block::Kind::device && location->type == cudaMemLocationTypeDevice &&
                           location->id != static_cast<int>(pool.place.device);
        *flags =
            other && !(pool.open_to >> location->id & 1) ? cudaMemAccessFlagsProtNone : cudaMemAccessFlagsProtReadWrite;
        return Runtime::get().no_device(location->id) && other ? cudaErrorInvalidDevice : cudaSuccess;
    });
}

}  // namespace impl
}  // namespace warpwright::cudart
