// Cooperative groups: the cluster of blocks that a kernel runs in (compute capability 9.0 and later). A kernel launched
// without clusters is in a cluster of its own block. Included by cooperative_groups.h.
#pragma once

namespace cooperative_groups {

#if !defined(__CUDA_ARCH__) || WW_ARCH >= 900

class cluster_group {
public:
    /// What an arrival gives to the wait that belongs to it.
    struct arrival_token {};

    /// All threads of the cluster's blocks meet here, and see what the others wrote to shared memory before.
    static WW_MEMBER void sync() {
        barrier_arrive();
        barrier_wait();
    }
    static WW_MEMBER arrival_token barrier_arrive() {
        __asm__ volatile("barrier.cluster.arrive.release;" ::: "memory");
        return {};
    }
    static WW_MEMBER void barrier_wait() { __asm__ volatile("barrier.cluster.wait.acquire;" ::: "memory"); }
    static WW_MEMBER void barrier_wait(arrival_token&&) { barrier_wait(); }

#define WW_CLUSTER_REGISTER(name)                               \
    static WW_MEMBER unsigned int ww_##name() {                 \
        unsigned int value;                                     \
        __asm__("mov.u32 %0, %%cluster_" #name ";" : "=r"(value)); \
        return value;                                           \
    }
    WW_CLUSTER_REGISTER(ctarank)
    WW_CLUSTER_REGISTER(nctarank)
#undef WW_CLUSTER_REGISTER
#define WW_CLUSTER_REGISTERS(name)                                                                               \
    static WW_MEMBER dim3 ww_##name() {                                                                          \
        unsigned int x, y, z;                                                                                    \
        __asm__("mov.u32 %0, %%cluster_" #name ".x; mov.u32 %1, %%cluster_" #name ".y; mov.u32 %2, %%cluster_" #name \
                ".z;"                                                                                            \
                : "=r"(x), "=r"(y), "=r"(z));                                                                    \
        return dim3(x, y, z);                                                                                    \
    }
    WW_CLUSTER_REGISTERS(ctaid)
    WW_CLUSTER_REGISTERS(nctaid)
#undef WW_CLUSTER_REGISTERS

    static WW_MEMBER unsigned int block_rank() { return ww_ctarank(); }
    static WW_MEMBER unsigned int num_blocks() { return ww_nctarank(); }
    static WW_MEMBER dim3 block_index() { return ww_ctaid(); }
    static WW_MEMBER dim3 dim_blocks() { return ww_nctaid(); }
    static WW_MEMBER dim3 dim_threads() {
        const dim3 blocks = ww_nctaid();
        return dim3(blocks.x * blockDim.x, blocks.y * blockDim.y, blocks.z * blockDim.z);
    }
    static WW_MEMBER dim3 thread_index() {
        const dim3 block = ww_ctaid();
        return dim3(block.x * blockDim.x + threadIdx.x, block.y * blockDim.y + threadIdx.y, block.z * blockDim.z + threadIdx.z);
    }
    static WW_MEMBER unsigned int thread_rank() { return block_rank() * details::block_size() + details::block_rank(); }
    static WW_MEMBER unsigned int num_threads() { return num_blocks() * details::block_size(); }
    static WW_MEMBER unsigned int size() { return num_threads(); }

    /// The same place of shared memory in the block of that rank.
    template <class T> static WW_MEMBER T* map_shared_rank(T* address, int rank) {
        unsigned long long there;
        __asm__("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"(address), "r"(rank));
        return reinterpret_cast<T*>(there);
    }
    /// The rank of the block in whose shared memory the address lies.
    static WW_MEMBER unsigned int query_shared_rank(const void* address) {
        unsigned int rank;
        __asm__("getctarank.u64 %0, %1;" : "=r"(rank) : "l"(address));
        return rank;
    }
};
WW_DEVICE cluster_group this_cluster() { return {}; }

#else

#define WW_NO_CLUSTERS \
    __attribute__((unavailable("clusters need compute capability 9.0: -arch=sm_90, or run --compile-flag=-arch=sm_90")))
class WW_NO_CLUSTERS cluster_group {};
WW_NO_CLUSTERS WW_DEVICE int this_cluster() { return 0; }
#undef WW_NO_CLUSTERS

#endif

}  // namespace cooperative_groups
