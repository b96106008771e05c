// What warps wait for beside operands: constants at several places, the block before, each other at a word of shared memory,
// bulk copies.
#include "measure.cuh"

/// A table of places in it, written from outside.
__constant__ u32 spread[2048];

/// Lanes at `places` words (a power of two up to 32) that are `apart` words from each other: each goes `hops` hops (a multiple
/// of 8) from there, as the table says. out, a pair a warp: when it began, when it ended; then the sum of where its lanes ended.
extern "C" __global__ void spread_constants(u32 places, u32 apart, u32 hops, u64* out) {
    u32 at = (threadIdx.x & (places - 1)) * apart;
    for (u32 i = 0; i < 8; ++i) at = spread[at];
    __syncthreads();
    const u64 begin = now();
    for (u32 i = 0; i < hops; i += 8) {
#pragma unroll
        for (int k = 0; k < 8; ++k) at = spread[at];
    }
    u32 sum = at;
    for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
    const u64 end = now();
    const u32 warps = blockDim.x / 32, warp = threadIdx.x / 32;
    if (threadIdx.x % 32 == 0) {
        out[2 * warp] = begin;
        out[2 * warp + 1] = end;
        out[2 * warps + warp] = sum;
    }
}

/// One warp's loads of shared memory that nobody waits for before the end, 128 a turn. out = { cycles, the sum of what the
/// first lane read }.
extern "C" __global__ void accesses_in_row(u32 turns, u64* out) {
    __shared__ u32 words[32];
    words[threadIdx.x % 32] = threadIdx.x + 1;
    __syncthreads();
    const u32 mine = shared_address(&words[threadIdx.x % 32]);
    u32 v[32] = {};
    u64 cycles = 0;
    for (int pass = 0; pass < 2; ++pass) {
        const u64 begin = now();
#pragma unroll 1
        for (u32 i = 0; i < turns; ++i) {
#pragma unroll
            for (int k = 0; k < 128; ++k) asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(v[k % 32]) : "r"(mine));
        }
        cycles = now() - begin;
    }
    u32 sum = 0;
    for (int k = 0; k < 32; ++k) sum += v[k];
    if (threadIdx.x == 0) {
        out[0] = cycles;
        out[1] = sum;
    }
}

/// Each block stays for `cycles`, at most `turns` turns: out, a pair a block: its multiprocessor, when it began. The pair is
/// written at the begin, so that nothing of it is under way at the end.
extern "C" __global__ void blocks_in_turn(u64 cycles, u32 turns, u64* out) {
    const u64 begin = now();
    if (threadIdx.x == 0) {
        u32 where;
        asm volatile("mov.u32 %0, %%smid;" : "=r"(where));
        out[2 * blockIdx.x] = where;
        out[2 * blockIdx.x + 1] = begin;
    }
    u64 end = begin;
    for (u32 i = 0; i < turns && end - begin < cycles; ++i) end = now();
}

/// The lanes of the block's first `warps` warps add 1.0 to one word each of `words`, `times` times: numbers with exponents
/// are added by compare-and-swaps there. out = { cycles, the sum of all words }.
extern "C" __global__ void compare_loops(u32 words, u32 warps, u32 times, u64* out) {
    __shared__ float sums[32];
    if (threadIdx.x < 32) sums[threadIdx.x] = 0;
    __syncthreads();
    const u32 mine = shared_address(&sums[threadIdx.x % 32 % words]);
    const u64 begin = now();
    if (threadIdx.x / 32 < warps)
        for (u32 i = 0; i < times; ++i) asm volatile("red.shared.add.f32 [%0], 0f3F800000;" ::"r"(mine) : "memory");
    __syncthreads();
    const u64 cycles = now() - begin;
    if (threadIdx.x == 0) {
        float sum = 0;
        for (u32 i = 0; i < 32; ++i) sum += sums[i];
        out[0] = cycles;
        out[1] = static_cast<u64>(sum);
    }
}

#ifdef BULK  // from compute capability 9.0 on
#define STAGES 4
#define PIECE 16384

static __device__ __forceinline__ void copy(u32 to, const unsigned char* from, u32 bytes, u32 barrier) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to), "l"(from),
                 "r"(bytes), "r"(barrier)
                 : "memory");
}

/// Bounded: what never comes ends the kernel after some seconds, and the result is wrong.
static __device__ __forceinline__ void wait(u32 barrier, u32 parity) {
    u32 over = 0;
    for (u32 i = 0; i < (1u << 24) && !over; ++i)
        asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
                     : "=r"(over)
                     : "r"(barrier), "r"(parity)
                     : "memory");
}

/// One copy of `bytes` (at most PIECE) after the other, of places `apart` bytes apart, `places` of them (a power of two);
/// without bytes the mbarrier alone. out = { cycles, the last copy's first word }.
extern "C" __global__ void bulk_chain(const unsigned char* in, u32 bytes, u64 apart, u32 places, u32 times, u64* out) {
    __shared__ __align__(128) unsigned char room[PIECE];
    __shared__ __align__(8) u64 full;
    const u32 barrier = shared_address(&full), to = shared_address(room);
    *reinterpret_cast<u32*>(room) = 0;
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier) : "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    u64 cycles = 0;
    for (u32 pass = 0; pass < 2; ++pass) {  // the first brings the places into the second level
        const u64 begin = now();
        for (u32 i = 0; i < times; ++i) {
            if (bytes > 0)
                copy(to, in + (i & (places - 1)) * apart, bytes, barrier);
            else
                asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
            wait(barrier, (pass * times + i) & 1);
        }
        cycles = now() - begin;
    }
    out[0] = cycles;
    out[1] = *reinterpret_cast<volatile u32*>(room);
}

/// Each block copies `count` pieces, STAGES under way, of a region of `pieces` that it shares with its neighbours, `sharers`
/// in all: out, a word a block: cycles; then the last piece's first word.
extern "C" __global__ void bulk_row(const unsigned char* in, u32 pieces, u32 sharers, u32 count, u64* out) {
    extern __shared__ __align__(128) unsigned char stages[];
    __shared__ __align__(8) u64 full[STAGES];
    const unsigned char* region = in + static_cast<u64>(blockIdx.x / sharers) * pieces * PIECE;
    for (u32 s = 0; s < STAGES; ++s)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&full[s])) : "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    const auto fetch = [&](u32 i) {
        copy(shared_address(stages + i % STAGES * PIECE), region + static_cast<u64>(i % pieces) * PIECE, PIECE,
             shared_address(&full[i % STAGES]));
    };
    const u64 begin = now();
    for (u32 i = 0; i < STAGES && i < count; ++i) fetch(i);
    for (u32 i = 0; i < count; ++i) {
        wait(shared_address(&full[i % STAGES]), i / STAGES & 1);
        if (i + STAGES < count) fetch(i + STAGES);
    }
    out[blockIdx.x] = now() - begin;
    out[gridDim.x + blockIdx.x] = *reinterpret_cast<volatile u32*>(stages + (count - 1) % STAGES * PIECE);
}
#endif
