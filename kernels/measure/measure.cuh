// What the measuring kernels share. They are small on purpose: a few instructions in a bounded loop, written as inline
// PTX where a compiler might see through it, and results that leave the kernel, so that nothing can be left out.
#pragma once

typedef unsigned u32;
typedef unsigned long long u64;

/// The multiprocessor's clock. Memory clobbers keep what is measured between two readings.
static __device__ __forceinline__ u64 now() {
    u64 t;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(t)::"memory");
    return t;
}

static __device__ __forceinline__ u32 shared_address(const void* p) {
    return static_cast<u32>(__cvta_generic_to_shared(p));
}

static __device__ __forceinline__ u64 global_thread() {
    return static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x;
}

/// A word of data for the tensor cores, `base | (hash & mask)`: random numbers of a type, all the same ones, or zeros. The
/// power that a product takes, and with it the clock, depends on the data.
static __device__ __forceinline__ u32 word(u32 index, u32 base, u32 mask) {
    u32 h = (index + 1) * 2654435761u;
    h = (h ^ h >> 15) * 2246822519u;
    return base | ((h ^ h >> 13) & mask);
}
