// Cooperative groups: thread_block, tiles of it, coalesced groups and the whole grid; the cluster is in warpwright/cluster_group.h; partitions by label, larger tiles and
// thread_group are in warpwright/group_partitions.h and warpwright/large_tiles.h.
//
// this_grid().sync() keeps its state in a variable of the module (ww_grid_barrier below), not in a workspace that the
// launch hands over: an arrival counter and a generation. The last block to arrive resets the counter and raises the
// generation, for which the others wait. It needs every block of the grid to be resident, as a cooperative launch
// guarantees, and serves one grid of a module at a time.
#pragma once
#define _COOPERATIVE_GROUPS_H_
#include "warpwright/hide_names.h"

namespace cooperative_groups {

#define WW_MEMBER __device__ WW_INLINE

namespace details {
template <class T, class = void> inline constexpr bool has_shuffle = false;
template <class T>
inline constexpr bool has_shuffle<T, decltype((void)__shfl_sync(0u, *static_cast<T*>(nullptr), 0, 32))> = true;

/// What `shuffle` makes of the value; of a structure of up to 32 bytes, of its words one after the other.
template <class T, class Shuffle> WW_DEVICE T shuffled(const T& value, Shuffle shuffle) {
    if constexpr (has_shuffle<T>) {
        return shuffle(value);
    } else {
        static_assert(__is_trivially_copyable(T) && sizeof(T) <= 32, "a value that is copied by its bytes, of up to 32");
        unsigned int words[(sizeof(T) + 3) / 4] = {};
        __builtin_memcpy(words, &value, sizeof(T));
        for (unsigned int k = 0; k < sizeof(words) / 4; ++k) words[k] = shuffle(words[k]);
        T result = value;
        __builtin_memcpy(&result, words, sizeof(T));
        return result;
    }
}

WW_DEVICE unsigned int lane() { return __nvvm_read_ptx_sreg_laneid(); }
WW_DEVICE unsigned int lanes_below() { return __nvvm_read_ptx_sreg_lanemask_lt(); }
WW_DEVICE unsigned int block_rank() {
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
WW_DEVICE unsigned int block_size() { return blockDim.x * blockDim.y * blockDim.z; }
/// The index of the n-th set bit of the mask.
WW_DEVICE int nth_lane(unsigned int mask, unsigned int n) { return (int)__fns(mask, 0, (int)n + 1); }

struct grid_barrier {
    unsigned int arrived, generation;
};
static __device__ grid_barrier ww_grid_barrier = {0u, 0u};

WW_DEVICE void grid_sync() {
    __syncthreads();
    if (block_rank() == 0) {
        unsigned int blocks = gridDim.x * gridDim.y * gridDim.z, generation, now;
        __asm__ volatile("ld.relaxed.gpu.u32 %0, [%1];" : "=r"(generation) : "l"(&ww_grid_barrier.generation) : "memory");
        __threadfence();
        if (atomicAdd(&ww_grid_barrier.arrived, 1u) == blocks - 1) {
            atomicExch(&ww_grid_barrier.arrived, 0u);
            __threadfence();
            atomicAdd(&ww_grid_barrier.generation, 1u);
        } else {
            do {
                __nanosleep(32);
                __asm__ volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(now) : "l"(&ww_grid_barrier.generation) : "memory");
            } while (now == generation);
        }
        __threadfence();
    }
    __syncthreads();
}
}  // namespace details

class thread_block {
public:
    thread_block() = default;
    explicit WW_MEMBER thread_block(void* scratch) : scratch_(scratch) {}
    /// Shared memory for tiles of more than one warp, if the program gave some (block_tile_memory).
    WW_MEMBER void* ww_scratch() const { return scratch_; }
    static WW_MEMBER void sync() { __syncthreads(); }
    static WW_MEMBER unsigned int thread_rank() { return details::block_rank(); }
    static WW_MEMBER unsigned int num_threads() { return details::block_size(); }
    static WW_MEMBER unsigned int size() { return details::block_size(); }
    static WW_MEMBER dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
    static WW_MEMBER dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
    static WW_MEMBER dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
    static WW_MEMBER dim3 dim_threads() { return group_dim(); }

private:
    void* scratch_ = nullptr;
};
WW_DEVICE thread_block this_thread_block() { return {}; }

class grid_group {
public:
    static WW_MEMBER bool is_valid() { return true; }
    static WW_MEMBER void sync() { details::grid_sync(); }
    static WW_MEMBER unsigned long long num_blocks() { return (unsigned long long)gridDim.x * gridDim.y * gridDim.z; }
    static WW_MEMBER unsigned long long block_rank() {
        return ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    }
    static WW_MEMBER unsigned long long num_threads() { return num_blocks() * details::block_size(); }
    static WW_MEMBER unsigned long long size() { return num_threads(); }
    static WW_MEMBER unsigned long long thread_rank() { return block_rank() * details::block_size() + details::block_rank(); }
    static WW_MEMBER dim3 block_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
    static WW_MEMBER dim3 dim_blocks() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
    static WW_MEMBER dim3 group_dim() { return dim_blocks(); }
};
WW_DEVICE grid_group this_grid() { return {}; }

/// A group of lanes of one warp, named by their mask; its members are numbered by their place among the set bits.
class coalesced_group {
public:
    /// `rank` and `count`: where the group stands among those that its parent was split into.
    explicit WW_MEMBER coalesced_group(unsigned int mask, unsigned int rank = 0, unsigned int count = 1)
        : mask_(mask), rank_(rank), count_(count) {}
    WW_MEMBER void sync() const { __syncwarp(mask_); }
    WW_MEMBER unsigned int thread_rank() const { return (unsigned int)__popc(mask_ & details::lanes_below()); }
    WW_MEMBER unsigned int num_threads() const { return (unsigned int)__popc(mask_); }
    WW_MEMBER unsigned int size() const { return num_threads(); }
    WW_MEMBER unsigned int meta_group_rank() const { return rank_; }
    WW_MEMBER unsigned int meta_group_size() const { return count_; }
    template <class T> WW_MEMBER T shfl(T v, unsigned int rank) const {
        const int from = mask_ == 0xffffffffu ? (int)rank : details::nth_lane(mask_, rank);
        return details::shuffled(v, [&](auto w) { return __shfl_sync(mask_, w, from); });
    }
    template <class T> WW_MEMBER T shfl_down(T v, unsigned int delta) const {
        unsigned int to = thread_rank() + delta;
        T got = shfl(v, to < num_threads() ? to : thread_rank());
        return got;
    }
    template <class T> WW_MEMBER T shfl_up(T v, unsigned int delta) const {
        unsigned int me = thread_rank();
        return shfl(v, me >= delta ? me - delta : me);
    }
    WW_MEMBER int any(int p) const { return __any_sync(mask_, p); }
    WW_MEMBER int all(int p) const { return __all_sync(mask_, p); }
    WW_MEMBER unsigned int ballot(int p) const { return pack(__ballot_sync(mask_, p)); }
#if WW_ARCH >= 700
    template <class T> WW_MEMBER unsigned int match_any(T v) const { return pack(__match_any_sync(mask_, v)); }
    template <class T> WW_MEMBER unsigned int match_all(T v, int& same) const {
        return pack(__match_all_sync(mask_, v, &same));
    }
#endif
    WW_MEMBER unsigned int ww_mask() const { return mask_; }

private:
    /// Bits of member lanes, moved together so that bit i speaks for rank i.
    WW_MEMBER unsigned int pack(unsigned int lanes) const {
        if (mask_ == 0xffffffffu) return lanes;
        unsigned int out = 0;
        for (unsigned int rest = mask_, i = 0; rest != 0; rest &= rest - 1, ++i)
            out |= ((lanes >> (__ffs((int)rest) - 1)) & 1u) << i;
        return out;
    }
    unsigned int mask_, rank_, count_;
};
WW_DEVICE coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }
template <class Predicate> WW_DEVICE coalesced_group binary_partition(const coalesced_group& g, Predicate p) {
    unsigned int with = __ballot_sync(g.ww_mask(), (int)(bool)p);
    return coalesced_group(p ? with : g.ww_mask() & ~with, p ? 1 : 0, 2);
}

template <unsigned int Size, class Parent = void> class thread_block_tile;
namespace details {
/// Where a tile stands among the tiles of its parent: a block, or a larger tile.
template <unsigned int Size, class Parent> struct tile_of {
    static WW_MEMBER unsigned int rank() { return block_rank() / Size; }
    static WW_MEMBER unsigned int count() { return (block_size() + Size - 1) / Size; }
};
template <unsigned int Size, unsigned int Larger, class Grandparent>
struct tile_of<Size, thread_block_tile<Larger, Grandparent>> {
    static WW_MEMBER unsigned int rank() { return (lane() & (Larger - 1)) / Size; }
    static WW_MEMBER unsigned int count() { return Larger / Size; }
};
}  // namespace details

template <unsigned int Size, class Parent> class thread_block_tile {
    static_assert(Size == 1 || Size == 2 || Size == 4 || Size == 8 || Size == 16 || Size == 32,
                  "a tile of one warp: 1, 2, 4, 8, 16 or 32 threads");

public:
    thread_block_tile() = default;
    template <class Other> WW_MEMBER thread_block_tile(const thread_block_tile<Size, Other>&) {}
    static WW_MEMBER void sync() { __syncwarp(ww_mask()); }
    static WW_MEMBER unsigned int thread_rank() { return details::lane() & (Size - 1); }
    static constexpr WW_MEMBER unsigned int num_threads() { return Size; }
    static constexpr WW_MEMBER unsigned int size() { return Size; }
    static WW_MEMBER unsigned int meta_group_rank() { return details::tile_of<Size, Parent>::rank(); }
    static WW_MEMBER unsigned int meta_group_size() { return details::tile_of<Size, Parent>::count(); }
    template <class T> WW_MEMBER T shfl(T v, int rank) const {
        return details::shuffled(v, [&](auto w) { return __shfl_sync(ww_mask(), w, rank, Size); });
    }
    template <class T> WW_MEMBER T shfl_down(T v, unsigned int delta) const {
        return details::shuffled(v, [&](auto w) { return __shfl_down_sync(ww_mask(), w, delta, Size); });
    }
    template <class T> WW_MEMBER T shfl_up(T v, unsigned int delta) const {
        return details::shuffled(v, [&](auto w) { return __shfl_up_sync(ww_mask(), w, delta, Size); });
    }
    template <class T> WW_MEMBER T shfl_xor(T v, unsigned int lanes) const {
        return details::shuffled(v, [&](auto w) { return __shfl_xor_sync(ww_mask(), w, (int)lanes, Size); });
    }
    WW_MEMBER int any(int p) const { return __any_sync(ww_mask(), p); }
    WW_MEMBER int all(int p) const { return __all_sync(ww_mask(), p); }
    WW_MEMBER unsigned int ballot(int p) const { return shifted(__ballot_sync(ww_mask(), p)); }
#if WW_ARCH >= 700
    template <class T> WW_MEMBER unsigned int match_any(T v) const { return shifted(__match_any_sync(ww_mask(), v)); }
    template <class T> WW_MEMBER unsigned int match_all(T v, int& same) const {
        return shifted(__match_all_sync(ww_mask(), v, &same));
    }
#endif
    WW_MEMBER operator coalesced_group() const { return coalesced_group(ww_mask()); }
    static WW_MEMBER unsigned int ww_mask() {
        return Size == 32 ? 0xffffffffu : ((1u << (Size & 31)) - 1u) << (details::lane() & ~(Size - 1) & 31);
    }

private:
    static WW_MEMBER unsigned int shifted(unsigned int lanes) {
        return Size == 32 ? lanes : (lanes & ww_mask()) >> (details::lane() & ~(Size - 1) & 31);
    }
};

template <unsigned int Size, class Parent> WW_DEVICE thread_block_tile<Size, Parent> tiled_partition(const Parent& parent) {
    if constexpr (Size > 32)
        return thread_block_tile<Size, Parent>(parent);
    else
        return {};
}
template <class Predicate, unsigned int Size, class Parent>
WW_DEVICE coalesced_group binary_partition(const thread_block_tile<Size, Parent>& g, Predicate p) {
    unsigned int with = __ballot_sync(g.ww_mask(), (int)(bool)p);
    return coalesced_group(p ? with : g.ww_mask() & ~with, p ? 1 : 0, 2);
}
template <class Group> WW_DEVICE void sync(const Group& g) { g.sync(); }
template <class Group> WW_DEVICE auto thread_rank(const Group& g) { return g.thread_rank(); }
template <class Group> WW_DEVICE auto group_size(const Group& g) { return g.size(); }
template <class Group> WW_DEVICE bool is_valid(const Group&) { return true; }

}  // namespace cooperative_groups

#include "warpwright/cluster_group.h"
#include "warpwright/group_partitions.h"
#include "warpwright/large_tiles.h"
#include "warpwright/restore_names.h"
