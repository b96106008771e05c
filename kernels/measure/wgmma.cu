// Tensor cores through wgmma (Hopper): both operands from shared memory, where they stay; no loads from global memory. A
// product is 64 x 256 by 16 (f16, bf16), 8 (tf32) or 32 (fp8, int8); four of them follow each other along K, all into the
// same accumulators.
#include "wgmma.cuh"

/// out: a thread's accumulators, added. TAIL: the immediate operands after scale-d.
#define KERNEL(NAME, SHAPE, ACCUMULATOR, IS, TAIL)                                                               \
    extern "C" __global__ void __launch_bounds__(256, 1) NAME(u32 base, u32 mask, u32 turns, ACCUMULATOR* out) { \
        __shared__ __align__(1024) u32 tiles[(64 + 256) * 128 / 4];                                              \
        fill(tiles, sizeof tiles, base, mask);                                                                   \
        const u64 a = descriptor(shared_address(tiles)), b = descriptor(shared_address(tiles) + 64 * 128);       \
        LOOP(ACCUMULATOR, IS, 4, "wgmma.mma_async.sync.aligned." SHAPE, "%128, %129", TAIL, "l"(a + 2 * k), "l"(b + 2 * k)) \
    }
KERNEL(wgmma_f16, "m64n256k16.f32.f16.f16", float, IS_F, ", 1, 1, 0, 0")
KERNEL(wgmma_bf16, "m64n256k16.f32.bf16.bf16", float, IS_F, ", 1, 1, 0, 0")
KERNEL(wgmma_tf32, "m64n256k8.f32.tf32.tf32", float, IS_F, ", 1, 1")
KERNEL(wgmma_fp8, "m64n256k32.f32.e4m3.e4m3", float, IS_F, ", 1, 1")
KERNEL(wgmma_int8, "m64n256k32.s32.s8.s8", int, IS_R, "")
