// Latency by pointer chase: each load's address is what the load before it gave. One thread, so nothing else is under
// way. The table holds `lines` pointers, `stride` words apart (a power of two of lines, in an order that a linear
// congruence of full period makes: it visits each line once before it comes back to the first).
#include "measure.cuh"

extern "C" __global__ void chase_fill(u64* table, u32 lines, u32 stride, u32 multiplier, u32 increment) {
    for (u64 i = global_thread(); i < lines; i += static_cast<u64>(gridDim.x) * blockDim.x) {
        const u64 next = static_cast<u32>(i * multiplier + increment) & (lines - 1);
        table[i * stride] = reinterpret_cast<u64>(table + next * stride);
    }
}

/// From one of the table's lines: `warm` hops unmeasured, then `hops` (a multiple of 8): out = { cycles, where it ended }.
#define CHASE(NAME, LOAD)                                                                   \
    extern "C" __global__ void NAME(const u64* start, u32 warm, u32 hops, u64* out) {       \
        u64 p = reinterpret_cast<u64>(start);                                               \
        for (u32 i = 0; i < warm; ++i) asm volatile(LOAD " %0, [%0];" : "+l"(p)::"memory"); \
        const u64 begin = now();                                                            \
        for (u32 i = 0; i < hops; i += 8) {                                                 \
            _Pragma("unroll") for (int k = 0; k < 8; ++k) asm volatile(LOAD " %0, [%0];" : "+l"(p)::"memory"); \
        }                                                                                   \
        out[0] = now() - begin;                                                             \
        out[1] = p;                                                                         \
    }
CHASE(chase_l1, "ld.global.ca.u64")
CHASE(chase_l2, "ld.global.cg.u64")

/// An atomic operation that waits for the one before it: *cell holds its own address, and nothing is added.
extern "C" __global__ void chase_atomic(u64* cell, u32 hops, u64* out) {
    u64 p = reinterpret_cast<u64>(cell);
    *cell = p;
    __threadfence();
    const u64 begin = now();
    for (u32 i = 0; i < hops; i += 8) {
#pragma unroll
        for (int k = 0; k < 8; ++k) asm volatile("atom.global.add.u64 %0, [%0], 0;" : "+l"(p)::"memory");
    }
    out[0] = now() - begin;
    out[1] = p;
}

/// The same in shared memory.
extern "C" __global__ void chase_atomic_shared(u32 hops, u64* out) {
    __shared__ u32 cell;
    u32 p = shared_address(&cell);
    cell = p;
    __syncthreads();
    const u64 begin = now();
    for (u32 i = 0; i < hops; i += 8) {
#pragma unroll
        for (int k = 0; k < 8; ++k) asm volatile("atom.shared.add.u32 %0, [%0], 0;" : "+r"(p)::"memory");
    }
    out[0] = now() - begin;
    out[1] = p - shared_address(&cell);
}

/// Constant memory: a table of byte offsets, written from outside.
__constant__ u32 constants[16384];

extern "C" __global__ void chase_constant(u32 warm, u32 hops, u64* out) {
    u32 at = 0;
    for (u32 i = 0; i < warm; ++i) at = constants[at];
    const u64 begin = now();
    for (u32 i = 0; i < hops; i += 8) {
#pragma unroll
        for (int k = 0; k < 8; ++k) at = constants[at];
    }
    out[0] = now() - begin;
    out[1] = at;
}
