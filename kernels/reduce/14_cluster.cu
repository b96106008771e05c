// Blocks of one cluster share their shared memory: each warp writes its value straight into the first block's, a
// barrier of the cluster later that block's first warp adds them. Nothing goes through global memory but the data. A
// cluster has at most 8 blocks (16 where it need not be portable), so this is for small problems: the grid is one cluster.
#include "../common/reduce.cuh"

/// Writes to the place in block 0 of the cluster that corresponds to `at` in this one.
template <class A> static __device__ void put_in_first(const A* at, A x) {
    unsigned there;
    asm volatile("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(there) : "r"(static_cast<unsigned>(__cvta_generic_to_shared(at))));
    if constexpr (sizeof(A) == 4)
        asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(there), "r"(__builtin_bit_cast(unsigned, x)) : "memory");
    else
        asm volatile("st.shared::cluster.u64 [%0], %1;" ::"r"(there), "l"(__builtin_bit_cast(reduce::u64, x)) : "memory");
}

extern "C" __global__ void __launch_bounds__(512) reduce_cluster(const ELEMENT* in, ELEMENT* out, unsigned long long n) {
    using Op = reduce::OPERATION;
    using A = reduce::Accumulator<ELEMENT>;
    constexpr unsigned threads = 512, unroll = 4, warps = threads / 32;
    __shared__ A values[8 * warps];
    reduce::begin();
    A x = reduce::Split<ELEMENT>(in, n).share<Op, threads, unroll>();
    x = reduce::of_warp<Op>(x);
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (lane == 0) put_in_first(values + blockIdx.x * warps + warp, x);  // blockIdx.x is the rank in the cluster
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
    if (blockIdx.x != 0 || warp != 0) return;
    x = Op::identity<A>();
    for (unsigned i = lane; i < gridDim.x * warps; i += 32) x = Op::apply(x, values[i]);
    x = reduce::of_warp<Op>(x);
    if (lane == 0) *out = reduce::Traits<ELEMENT>::store(x);
}
