// Products of single warps (mma.sync, from compute capability 8.0 on): how long one takes, and how many a full
// multiprocessor makes.
#include "measure.cuh"

#define DEPTH 256

/// A product of one warp after another, on the same accumulators: 16 x 8 x 16 of f16, all elements the two of `ab`.
extern "C" __global__ void chain_product(u32 ab, u32 turns, u64* out) {
    float d0 = 0, d1 = 0, d2 = 0, d3 = 0;
    u64 cycles = 0;
    for (int pass = 0; pass < 2; ++pass) {
        d0 = d1 = d2 = d3 = 0;
        const u64 begin = now();
#pragma unroll 1
        for (u32 i = 0; i < turns; ++i) {
#pragma unroll
            for (int k = 0; k < DEPTH; ++k)
                asm volatile(
                    "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %4, %4, %4}, {%4, %4}, "
                    "{%0, %1, %2, %3};"
                    : "+f"(d0), "+f"(d1), "+f"(d2), "+f"(d3)
                    : "r"(ab));
        }
        cycles = now() - begin;
    }
    if (threadIdx.x == 0) {
        out[0] = cycles;
        out[1] = __float_as_uint(d0 + d1 + d2 + d3);
    }
}

/// All warps of a block, four products of each under way, 32 a turn. out, a pair a warp: when it began, when it ended; then the bits
/// of its first lane's sum.
extern "C" __global__ void many_products(u32 ab, u32 turns, u64* out) {
    float d[4][4] = {};
    __syncthreads();
    const u64 begin = now();
#pragma unroll 1
    for (u32 i = 0; i < turns; ++i) {
#pragma unroll
        for (int step = 0; step < 32; ++step) {
            const int k = step % 4;
            asm volatile(
                "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %4, %4, %4}, {%4, %4}, "
                "{%0, %1, %2, %3};"
                : "+f"(d[k][0]), "+f"(d[k][1]), "+f"(d[k][2]), "+f"(d[k][3])
                : "r"(ab));
        }
    }
    const u64 end = now();
    float sum = 0;
    for (int k = 0; k < 4; ++k) sum += d[k][0] + d[k][1] + d[k][2] + d[k][3];
    const u32 warps = blockDim.x / 32, warp = threadIdx.x / 32;
    if (threadIdx.x % 32 == 0) {
        out[2 * warp] = begin;
        out[2 * warp + 1] = end;
        out[2 * warps + warp] = __float_as_uint(sum);
    }
}

/// The same with doubles, 8 x 8 x 4.
extern "C" __global__ void many_products_f64(double ab, u32 turns, u64* out) {
    double d[4][2] = {};
    __syncthreads();
    const u64 begin = now();
#pragma unroll 1
    for (u32 i = 0; i < turns; ++i) {
#pragma unroll
        for (int step = 0; step < 32; ++step) {
            const int k = step % 4;
            asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%2}, {%0, %1};"
                         : "+d"(d[k][0]), "+d"(d[k][1])
                         : "d"(ab));
        }
    }
    const u64 end = now();
    double sum = 0;
    for (int k = 0; k < 4; ++k) sum += d[k][0] + d[k][1];
    const u32 warps = blockDim.x / 32, warp = threadIdx.x / 32;
    if (threadIdx.x % 32 == 0) {
        out[2 * warp] = begin;
        out[2 * warp + 1] = end;
        out[2 * warps + warp] = static_cast<u64>(sum);
    }
}
