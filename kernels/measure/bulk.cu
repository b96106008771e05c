// Global memory through bulk copies (Hopper): one thread keeps STAGES pieces of PIECE bytes under way to shared memory,
// all threads read them there. Nothing but the copies stands in the way of DRAM.
#include "measure.cuh"

#ifndef STAGES
#define STAGES 8
#endif
#ifndef PIECE
#define PIECE 16384
#endif

static __device__ __forceinline__ void wait(u32 barrier, u32 parity) {
    asm volatile(
        "{\n.reg .pred over;\nAGAIN: mbarrier.try_wait.parity.shared::cta.b64 over, [%0], %1;\n@over bra DONE;\nbra AGAIN;\nDONE:\n}" ::"r"(barrier),
        "r"(parity)
        : "memory");
}

/// Exclusive or of the words of `count` pieces, a word a thread.
extern "C" __global__ void read_bulk(const unsigned char* in, u64 count, u32* out) {
    extern __shared__ __align__(128) unsigned char stages[];
    __shared__ __align__(8) u64 full[STAGES];
    const u64 mine = count > blockIdx.x ? (count - blockIdx.x + gridDim.x - 1) / gridDim.x : 0;
    const auto fetch = [&](u64 i) {
        const u32 s = i % STAGES, barrier = shared_address(&full[s]);
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(PIECE) : "memory");
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                         shared_address(stages + s * PIECE)),
                     "l"(in + (blockIdx.x + i * gridDim.x) * PIECE), "r"(PIECE), "r"(barrier)
                     : "memory");
    };
    if (threadIdx.x == 0) {
        for (u32 s = 0; s < STAGES; ++s)
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&full[s])) : "memory");
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        for (u64 i = 0; i < STAGES && i < mine; ++i) fetch(i);
    }
    __syncthreads();
    u32 sum = 0;
    for (u64 i = 0; i < mine; ++i) {
        const u32 s = i % STAGES;
        wait(shared_address(&full[s]), i / STAGES % 2);
        const uint4* piece = reinterpret_cast<const uint4*>(stages + s * PIECE);
        for (u32 k = threadIdx.x; k < PIECE / 16; k += blockDim.x) sum ^= piece[k].x ^ piece[k].y ^ piece[k].z ^ piece[k].w;
        __syncthreads();  // read by all: the stage is free
        if (threadIdx.x == 0 && i + STAGES < mine) fetch(i + STAGES);
    }
    out[global_thread()] = sum;
}
