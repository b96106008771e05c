// Shared memory: what a warp's load costs when its lanes stand `stride` words apart, alone (latency) and with the other
// warps of a full multiprocessor (throughput), and the best rate there is. Stride 2^k makes 2^k-way bank conflicts.
#include "measure.cuh"

#define WORDS 2048  // 32 lanes, strides up to 64

/// Each word holds its own address, so that a load gives the address of the next: lane i stays at word i * stride.
static __device__ __forceinline__ u32 start(u32* words, u32 stride) {
    for (u32 i = threadIdx.x; i < WORDS; i += blockDim.x) words[i] = shared_address(&words[i]);
    __syncthreads();
    return shared_address(&words[threadIdx.x % 32 * stride % WORDS]);
}

/// One warp, each load after the one before: out = { cycles, the sum of the lanes' word indices }.
extern "C" __global__ void shared_latency(u32 stride, u32 loads, u64* out) {
    __shared__ u32 words[WORDS];
    u32 p = start(words, stride);
    const u64 begin = now();
    for (u32 i = 0; i < loads; i += 8) {
#pragma unroll
        for (int k = 0; k < 8; ++k) asm volatile("ld.shared.u32 %0, [%0];" : "+r"(p)::"memory");
    }
    const u64 cycles = now() - begin;
    u32 sum = (p - shared_address(words)) / 4;
    for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
    if (threadIdx.x == 0) {
        out[0] = cycles;
        out[1] = sum;
    }
}

/// All warps of the block, two chains each. out, a pair a warp: when it began, when it ended; then the sums of indices.
extern "C" __global__ void shared_throughput(u32 stride, u32 loads, u64* out) {
    __shared__ u32 words[WORDS];
    u32 p = start(words, stride), q = p;
    __syncthreads();
    const u64 begin = now();
    for (u32 i = 0; i < loads; i += 8) {
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            asm volatile("ld.shared.u32 %0, [%0];" : "+r"(p)::"memory");
            asm volatile("ld.shared.u32 %0, [%0];" : "+r"(q)::"memory");
        }
    }
    const u64 end = now();
    const u32 warps = blockDim.x / 32, warp = threadIdx.x / 32;
    u32 sum = (p - shared_address(words)) / 4 + (q - shared_address(words)) / 4;
    for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
    if (threadIdx.x % 32 == 0 && blockIdx.x == 0) {
        out[2 * warp] = begin;
        out[2 * warp + 1] = end;
        out[2 * warps + warp] = sum;
    }
}

/// 16 bytes per lane without conflicts: the widest there is. Volatile, for each turn of the loop reads the same words. `loads` a thread, a multiple of 8. Word i holds i.
extern "C" __global__ void shared_read(u32 loads, u32* out) {
    __shared__ __align__(16) u32 words[4096 + 8 * 128];
    for (u32 i = threadIdx.x; i < 4096 + 8 * 128; i += blockDim.x) words[i] = i;
    __syncthreads();
    const u32 p = shared_address(&words[threadIdx.x * 4 % 4096]);
    u32 sum = 0;
    for (u32 i = 0; i < loads; i += 8) {
        uint4 v[8];
#pragma unroll
        for (int k = 0; k < 8; ++k)
            asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                         : "=r"(v[k].x), "=r"(v[k].y), "=r"(v[k].z), "=r"(v[k].w)
                         : "r"(p + k * 512)
                         : "memory");
#pragma unroll
        for (int k = 0; k < 8; ++k) sum += (v[k].x ^ v[k].y ^ v[k].z) ^ v[k].w ^ i;
    }
    out[global_thread()] = sum;
}

extern "C" __global__ void shared_write(u32 stores, u32* out) {
    __shared__ __align__(16) u32 words[4096 + 8 * 128];
    const u32 p = shared_address(&words[threadIdx.x * 4 % 4096]);
    for (u32 i = 0; i < stores; i += 8) {
#pragma unroll
        for (int k = 0; k < 8; ++k)
            asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(p + k * 512), "r"(i), "r"(i + 1), "r"(i + 2), "r"(i + 3)
                         : "memory");
    }
    __syncthreads();
    out[global_thread()] = words[threadIdx.x];
}
