// What the wgmma kernels share: names of a thread's 128 accumulators, descriptors, and tiles full of data. A tile has rows of
// 32 bytes along K; four of them lie side by side in rows of 128 bytes, swizzled as tensor copies leave them. What an
// element is worth does not matter here, only that any two rows of 8 are read without bank conflicts.
#pragma once
#include "measure.cuh"

// The 128 accumulators of a thread, as operands and as their names.
#define R4(C, i) C(d[i]), C(d[i + 1]), C(d[i + 2]), C(d[i + 3])
#define R16(C, i) R4(C, i), R4(C, i + 4), R4(C, i + 8), R4(C, i + 12)
#define R64(C, i) R16(C, i), R16(C, i + 16), R16(C, i + 32), R16(C, i + 48)
#define IS_F(x) "+f"(x)
#define IS_R(x) "+r"(x)
#define NAMES \
    "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, " \
    "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, " \
    "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, " \
    "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, " \
    "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, " \
    "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, " \
    "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, " \
    "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"

/// Start address and stride between groups of 8 rows, 128-byte swizzle: in units of 16 bytes.
static __device__ __forceinline__ u64 descriptor(u32 address) {
    return (address & 0x3ffff) >> 4 | 1ull << 16 | (1024ull >> 4) << 32 | 1ull << 62;
}

static __device__ __forceinline__ void fill(u32* words, u32 bytes, u32 base, u32 mask) {
    for (u32 i = threadIdx.x; i < bytes / 4; i += blockDim.x) words[i] = word(i, base, mask);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
}

/// The registers of asynchronous products are operands of the fence and of the last wait, so that the compiler touches
/// them neither after the one nor before the other.
#define LOOP(ACCUMULATOR, IS, TILES, INSTRUCTION, OPERANDS, TAIL, ...)                                       \
    ACCUMULATOR d[128];                                                                                     \
    _Pragma("unroll") for (int i = 0; i < 128; ++i) d[i] = 0;                                               \
    asm volatile("" : R64(IS, 0), R64(IS, 64)::"memory");                                                   \
    _Pragma("unroll 1") for (u32 t = 0; t < turns; ++t) {                                                   \
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");                                             \
        _Pragma("unroll") for (int k = 0; k < TILES; ++k)                                                   \
            asm volatile(INSTRUCTION " {" NAMES "}, " OPERANDS ", 1" TAIL ";"                               \
                         : R64(IS, 0), R64(IS, 64)                                                          \
                         : __VA_ARGS__);                                                                    \
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");                                      \
        asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");                                      \
    }                                                                                                       \
    asm volatile("wgmma.wait_group.sync.aligned 0;" : R64(IS, 0), R64(IS, 64)::"memory");                   \
    ACCUMULATOR sum = 0;                                                                                    \
    _Pragma("unroll") for (int i = 0; i < 128; ++i) sum += d[i];                                            \
    out[global_thread()] = sum;
