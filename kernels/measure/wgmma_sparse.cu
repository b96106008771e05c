// Tensor cores with 2:4 structured sparsity (Hopper's wgmma.sp): of each four neighbours of A along K two are stored (of
// each two one, for tf32), and metadata says which: 0x44444444, always the first. A product is twice as long in K as in
// wgmma.cu, and its FLOP are those of the dense product that it stands for: half of them are multiplications by zero.
#include "wgmma.cuh"

/// Rows of B are twice as long as those of A: two products a tile of 128 bytes.
#define KERNEL(NAME, SHAPE, ACCUMULATOR, IS, TAIL)                                                               \
    extern "C" __global__ void __launch_bounds__(256, 1) NAME(u32 base, u32 mask, u32 turns, ACCUMULATOR* out) { \
        __shared__ __align__(1024) u32 tiles[(64 + 256) * 128 / 4];                                              \
        fill(tiles, sizeof tiles, base, mask);                                                                   \
        const u64 a = descriptor(shared_address(tiles)), b = descriptor(shared_address(tiles) + 64 * 128);       \
        const u32 meta = 0x44444444;                                                                             \
        LOOP(ACCUMULATOR, IS, 2, "wgmma.mma_async.sp.sync.aligned." SHAPE, "%128, %129, %130, 0", TAIL, "l"(a + 2 * k),     \
             "l"(b + 4 * k), "r"(meta))                                                                          \
    }

/// The same with A in registers: rows of B alone keep shared memory as busy as it can be.
#define REGISTERS(NAME, SHAPE, ACCUMULATOR, IS, TAIL)                                                                 \
    extern "C" __global__ void __launch_bounds__(256, 1) NAME(u32 base, u32 mask, u32 turns, ACCUMULATOR* out) {      \
        __shared__ __align__(1024) u32 tiles[256 * 128 / 4];                                                          \
        fill(tiles, sizeof tiles, base, mask);                                                                        \
        const u64 b = descriptor(shared_address(tiles));                                                              \
        const u32 meta = 0x44444444, mine = threadIdx.x * 4;                                                          \
        const u32 a[4] = {word(mine, base, mask), word(mine + 1, base, mask), word(mine + 2, base, mask),             \
                          word(mine + 3, base, mask)};                                                             \
        LOOP(ACCUMULATOR, IS, 2, "wgmma.mma_async.sp.sync.aligned." SHAPE, "{%128, %129, %130, %131}, %132, %133, 0", TAIL, \
             "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b + 4 * k), "r"(meta))                                   \
    }

KERNEL(sparse_f16, "m64n256k32.f32.f16.f16", float, IS_F, ", 1, 1, 0, 0")
KERNEL(sparse_bf16, "m64n256k32.f32.bf16.bf16", float, IS_F, ", 1, 1, 0, 0")
KERNEL(sparse_tf32, "m64n256k16.f32.tf32.tf32", float, IS_F, ", 1, 1")
KERNEL(sparse_fp8, "m64n256k64.f32.e4m3.e4m3", float, IS_F, ", 1, 1")
KERNEL(sparse_int8, "m64n256k64.s32.s8.s8", int, IS_R, "")
REGISTERS(sparse_f16_registers, "m64n256k32.f32.f16.f16", float, IS_F, ", 1, 1, 0")
REGISTERS(sparse_bf16_registers, "m64n256k32.f32.bf16.bf16", float, IS_F, ", 1, 1, 0")
REGISTERS(sparse_tf32_registers, "m64n256k16.f32.tf32.tf32", float, IS_F, ", 1, 1")
REGISTERS(sparse_fp8_registers, "m64n256k64.f32.e4m3.e4m3", float, IS_F, ", 1, 1")
REGISTERS(sparse_int8_registers, "m64n256k64.s32.s8.s8", int, IS_R, "")
