// Atomic operations: all threads to one address, or each lane to a word of its own. `cells` is a power of two; cell i
// gets what the threads congruent to i add.
#include "measure.cuh"

extern "C" __global__ void atomic_global(u32* words, u32 cells, u32 times) {
    u32* mine = words + (global_thread() & (cells - 1));
    for (u32 i = 0; i < times; ++i) asm volatile("red.global.add.u32 [%0], 1;" ::"l"(mine) : "memory");
}

/// out: the block's cells after it, one a thread.
extern "C" __global__ void atomic_shared(u32 cells, u32 times, u32* out) {
    __shared__ u32 words[1024];
    for (u32 i = threadIdx.x; i < 1024; i += blockDim.x) words[i] = 0;
    __syncthreads();
    const u32 mine = shared_address(&words[threadIdx.x & (cells - 1)]);
    for (u32 i = 0; i < times; ++i) asm volatile("red.shared.add.u32 [%0], 1;" ::"r"(mine) : "memory");
    __syncthreads();
    out[global_thread()] = words[threadIdx.x];
}
