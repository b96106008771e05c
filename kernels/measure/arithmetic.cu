// Arithmetic units: CHAINS independent chains a thread of one instruction each, 32 deep a turn of the loop. With a = 1 and
// b = 1 a chain counts its multiply-adds, which is how the tests know that all of them happen.
#include "measure.cuh"

#define CHAINS 8
#define DEPTH 32

template <class T, class Step>
static __device__ __forceinline__ void chains(T (&x)[CHAINS], u32 turns, Step step) {
#pragma unroll 1
    for (u32 i = 0; i < turns; ++i) {
#pragma unroll
        for (int d = 0; d < DEPTH; ++d)
#pragma unroll
            for (int c = 0; c < CHAINS; ++c) step(x[c]);
    }
}

/// out: a thread's chains, added.
#define FLOATING(NAME, TYPE, REG, INSTRUCTION)                                                                       \
    extern "C" __global__ void NAME(TYPE a, TYPE b, u32 turns, TYPE* out) {                                          \
        TYPE x[CHAINS];                                                                                              \
        for (int c = 0; c < CHAINS; ++c) x[c] = TYPE(0);                                                             \
        chains(x, turns, [&](TYPE& v) { asm volatile(INSTRUCTION " %0, %0, %1, %2;" : "+" REG(v) : REG(a), REG(b)); }); \
        TYPE sum = 0;                                                                                                \
        for (int c = 0; c < CHAINS; ++c) sum += x[c];                                                                \
        out[global_thread()] = sum;                                                                                  \
    }
FLOATING(fma_f32, float, "f", "fma.rn.f32")
FLOATING(fma_f64, double, "d", "fma.rn.f64")
FLOATING(mad_i32, int, "r", "mad.lo.s32")
/// Two values in a word each; the sum of words means something only where each chain gives the same.
#define PACKED(NAME, INSTRUCTION)                                                                                       \
    extern "C" __global__ void NAME(u32 a, u32 b, u32 turns, u32* out) {                                                \
        u32 x[CHAINS];                                                                                                  \
        for (int c = 0; c < CHAINS; ++c) x[c] = 0;                                                                      \
        chains(x, turns, [&](u32& v) { asm volatile(INSTRUCTION " %0, %0, %1, %2;" : "+r"(v) : "r"(a), "r"(b)); });     \
        u32 both = x[0], any = 0;                                                                                       \
        for (int c = 1; c < CHAINS; ++c) any |= x[c] ^ both;                                                            \
        out[global_thread()] = any ? ~0u : both;                                                                        \
    }
PACKED(fma_f16x2, "fma.rn.f16x2")
PACKED(fma_bf16x2, "fma.rn.bf16x2")

/// Special functions, and the integer units' addition and logic.
#define UNARY(NAME, TYPE, REG, INSTRUCTION)                                                      \
    extern "C" __global__ void NAME(TYPE a, u32 turns, TYPE* out) {                              \
        TYPE x[CHAINS];                                                                          \
        for (int c = 0; c < CHAINS; ++c) x[c] = a;                                               \
        chains(x, turns, [&](TYPE& v) { asm volatile(INSTRUCTION " %0, %0;" : "+" REG(v)); });   \
        TYPE sum = 0;                                                                            \
        for (int c = 0; c < CHAINS; ++c) sum += x[c];                                            \
        out[global_thread()] = sum;                                                              \
    }
UNARY(special_rsqrt, float, "f", "rsqrt.approx.ftz.f32")
UNARY(special_ex2, float, "f", "ex2.approx.ftz.f32")
UNARY(special_lg2, float, "f", "lg2.approx.ftz.f32")
UNARY(special_sin, float, "f", "sin.approx.ftz.f32")

/// Latency of a multiply-add: one chain, one warp. out = { cycles, the bits of the result }.
extern "C" __global__ void fma_latency(float a, float b, u32 turns, u64* out) {
    float x = 0;
    const u64 begin = now();
#pragma unroll 1
    for (u32 i = 0; i < turns; ++i) {
#pragma unroll
        for (int d = 0; d < 64; ++d) asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(x) : "f"(a), "f"(b));
    }
    const u64 cycles = now() - begin;
    if (threadIdx.x == 0) {
        out[0] = cycles;
        out[1] = __float_as_uint(x);
    }
}
