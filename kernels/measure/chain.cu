// Latency of operations: one warp, each operation on what the one before it gave, DEPTH of them a turn of the loop, so that
// the loop itself hardly counts. Lanes begin with different values, and where an assembler would make one instruction of two
// equal ones, or none (two exchanges of neighbours), others stand there. Everything is done twice, for the first time brings
// the instructions.
#include "measure.cuh"

#define DEPTH 256

/// out = { cycles of `turns` turns, the bits of the first lane's value }.
template <class T, class Step>
static __device__ __forceinline__ void chain(T first, u32 turns, u64* out, Step step) {
    const T mine = first + static_cast<T>(threadIdx.x % 32);
    T x = mine;
    u64 cycles = 0;
    for (int pass = 0; pass < 2; ++pass) {
        x = mine;
        const u64 begin = now();
#pragma unroll 1
        for (u32 i = 0; i < turns; ++i) {
#pragma unroll
            for (int d = 0; d < DEPTH; ++d) step(x);
        }
        cycles = now() - begin;
    }
    if (threadIdx.x == 0) {
        out[0] = cycles;
        u64 bits = 0;
        memcpy(&bits, &x, sizeof x);
        out[1] = bits;
    }
}

#define CHAIN(NAME, TYPE, REG, TEXT)                                                                                    \
    extern "C" __global__ void NAME(TYPE first, TYPE a, TYPE b, TYPE c, TYPE d, u32 turns, u64* out) {                   \
        chain(first, turns, out,                                                                                        \
              [&](TYPE& x) { asm volatile(TEXT : "+" REG(x) : REG(a), REG(b), REG(c), REG(d)); });                      \
    }
CHAIN(chain_logic, u32, "r", "{\n.reg .b32 t;\nlop3.b32 t, %0, %1, %2, 0xEA;\nlop3.b32 %0, t, %3, %4, 0xEA;\n}")
CHAIN(chain_add_logic, u32, "r", "{\n.reg .b32 t;\nsub.u32 t, %1, %0;\nxor.b32 %0, t, %2;\n}")
CHAIN(chain_multiply, u32, "r", "mad.lo.u32 %0, %0, %1, %2;")
CHAIN(chain_multiply_logic, u32, "r", "{\n.reg .b32 t;\nmad.lo.u32 t, %0, %1, %2;\nxor.b32 %0, t, %3;\n}")
CHAIN(chain_half, u32, "r", "fma.rn.f16x2 %0, %0, %1, %2;")
CHAIN(chain_fp64, double, "d", "fma.rn.f64 %0, %0, %1, %2;")
CHAIN(chain_special, float, "f", "ex2.approx.ftz.f32 %0, %0;")
CHAIN(chain_convert, float, "f", "cvt.rmi.f32.f32 %0, %0;\ncvt.rpi.f32.f32 %0, %0;")
CHAIN(chain_shuffle, u32, "r", "shfl.sync.up.b32 %0, %0, 1, 0, 0xffffffff;")
CHAIN(chain_guard, u32, "r", "{\n.reg .pred p;\nsetp.ne.u32 p, %0, %1;\n@p xor.b32 %0, %0, %2;\n}")
CHAIN(chain_register, u32, "r", "{\n.reg .pred p;\nsetp.ne.u32 p, %0, %1;\n@p mov.u32 %0, %%smid;\n}")
CHAIN(chain_fence, u32, "r", "membar.cta;\nmov.b32 %0, %0;")
