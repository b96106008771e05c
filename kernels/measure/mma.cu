// Tensor cores through mma.sync: operands in registers, CHAINS independent accumulators a warp, no memory at all.
#include "measure.cuh"

#define CHAINS 8

/// out: a thread's accumulators, added.
#define DENSE(NAME, SHAPE, ACCUMULATOR, REG) \
    extern "C" __global__ void NAME(u32 base, u32 mask, u32 turns, ACCUMULATOR* out) {                                 \
        u32 a[4], b[CHAINS][2];                                                                                        \
        for (int i = 0; i < 4; ++i) a[i] = word(threadIdx.x * 4 + i, base, mask);                                      \
        for (int c = 0; c < CHAINS; ++c)                                                                               \
            for (int i = 0; i < 2; ++i) b[c][i] = word(threadIdx.x * 64 + c * 2 + i + 7777, base, mask);               \
        ACCUMULATOR d[CHAINS][4] = {};                                                                                 \
        _Pragma("unroll 1") for (u32 t = 0; t < turns; ++t) {                                                          \
            _Pragma("unroll") for (int c = 0; c < CHAINS; ++c)                                                         \
                asm volatile("mma.sync.aligned." SHAPE " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};" \
                             : "+" REG(d[c][0]), "+" REG(d[c][1]), "+" REG(d[c][2]), "+" REG(d[c][3])                  \
                             : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[c][0]), "r"(b[c][1]));                \
        }                                                                                                              \
        ACCUMULATOR sum = 0;                                                                                           \
        for (int c = 0; c < CHAINS; ++c) sum += d[c][0] + d[c][1] + d[c][2] + d[c][3];                                 \
        out[global_thread()] = sum;                                                                                    \
    }

DENSE(mma_f16, "m16n8k16.row.col.f32.f16.f16.f32", float, "f")
DENSE(mma_bf16, "m16n8k16.row.col.f32.bf16.bf16.f32", float, "f")
DENSE(mma_tf32, "m16n8k8.row.col.f32.tf32.tf32.f32", float, "f")
DENSE(mma_int8, "m16n8k32.row.col.s32.s8.s8.s32", int, "r")
#ifdef FP8  // from compute capability 8.9 on
DENSE(mma_fp8, "m16n8k32.row.col.f32.e4m3.e4m3.f32", float, "f")
#endif

/// f64, an 8 x 8 x 4 product: one element of A and of B a lane.
extern "C" __global__ void mma_f64(double a, double b, u32 turns, double* out) {
    double d[CHAINS][2] = {};
#pragma unroll 1
    for (u32 t = 0; t < turns; ++t) {
#pragma unroll
        for (int c = 0; c < CHAINS; ++c)
            asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                         : "+d"(d[c][0]), "+d"(d[c][1])
                         : "d"(a), "d"(b));
    }
    double sum = 0;
    for (int c = 0; c < CHAINS; ++c) sum += d[c][0] + d[c][1];
    out[global_thread()] = sum;
}
#ifdef FP64_WIDE  // from compute capability 9.0 on
extern "C" __global__ void mma_f64_wide(double a, double b, u32 turns, double* out) {
    double d[CHAINS][4] = {};
#pragma unroll 1
    for (u32 t = 0; t < turns; ++t) {
#pragma unroll
        for (int c = 0; c < CHAINS; ++c)
            asm volatile(
                "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %4, %4, %4, %4, %4, %4, %4}, "
                "{%5, %5, %5, %5}, {%0, %1, %2, %3};"
                : "+d"(d[c][0]), "+d"(d[c][1]), "+d"(d[c][2]), "+d"(d[c][3])
                : "d"(a), "d"(b));
    }
    double sum = 0;
    for (int c = 0; c < CHAINS; ++c) sum += d[c][0] + d[c][1] + d[c][2] + d[c][3];
    out[global_thread()] = sum;
}
#endif
