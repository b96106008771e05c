// What it costs to start, to wait and to count time.
#include "measure.cuh"

extern "C" __global__ void empty() {}

/// `times` barriers of the block: out = { cycles of its first warp, how many times it passed }.
extern "C" __global__ void barrier(u32 times, u64* out) {
    __syncthreads();
    const u64 begin = now();
    u32 passed = 0;
    for (u32 i = 0; i < times; i += 8) {
#pragma unroll
        for (int k = 0; k < 8; ++k) {
            asm volatile("bar.sync 0;" ::: "memory");
            ++passed;
        }
    }
    const u64 cycles = now() - begin;
    if (threadIdx.x == 0) {
        out[0] = cycles;
        out[1] = passed;
    }
}

/// The clock's rate: waits `cycles` of the multiprocessor's clock, at most `turns` turns. out = { cycles, nanoseconds }.
extern "C" __global__ void clock_rate(u64 cycles, u32 turns, u64* out) {
    u64 t0, t1;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t0)::"memory");
    const u64 begin = now();
    u64 end = begin;
    for (u32 i = 0; i < turns && end - begin < cycles; ++i) end = now();
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t1)::"memory");
    out[0] = end - begin;
    out[1] = t1 - t0;
}
