// Code that does not repeat itself: what fetching instructions costs where no cache keeps them.
#include "measure.cuh"

// Instructions have 16 bytes, a line of them 128: FMA_1024 is 128 lines.
#define FMA_4                                                                       \
    "fma.rn.f32 %0, %0, %4, %5;\nfma.rn.f32 %1, %1, %4, %5;\nfma.rn.f32 %2, %2, %4, %5;\n" \
    "fma.rn.f32 %3, %3, %4, %5;\n"
#define FMA_16 FMA_4 FMA_4 FMA_4 FMA_4
#define FMA_64 FMA_16 FMA_16 FMA_16 FMA_16
#define FMA_256 FMA_64 FMA_64 FMA_64 FMA_64
#define FMA_1024 FMA_256 FMA_256 FMA_256 FMA_256
#define SEGMENT(NUMBER) \
    if (segments > NUMBER) asm volatile(FMA_1024 : "+f"(x0), "+f"(x1), "+f"(x2), "+f"(x3) : "f"(a), "f"(b));

/// `segments` (at most 20) times 128 lines of code, three times over: out = { cycles of the last time, the bits of the sum }.
extern "C" __global__ void long_code(float a, float b, u32 segments, u64* out) {
    float x0 = 0, x1 = 0, x2 = 0, x3 = 0;
    u64 cycles = 0;
#pragma unroll 1
    for (int pass = 0; pass < 3; ++pass) {
        const u64 begin = now();
        SEGMENT(0) SEGMENT(1) SEGMENT(2) SEGMENT(3) SEGMENT(4) SEGMENT(5) SEGMENT(6) SEGMENT(7) SEGMENT(8) SEGMENT(9)
        SEGMENT(10) SEGMENT(11) SEGMENT(12) SEGMENT(13) SEGMENT(14) SEGMENT(15) SEGMENT(16) SEGMENT(17) SEGMENT(18)
        SEGMENT(19)
        cycles = now() - begin;
    }
    if (threadIdx.x == 0) {
        out[0] = cycles;
        out[1] = __float_as_uint(x0 + x1 + x2 + x3);
    }
}
