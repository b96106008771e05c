// What a packet costs on the way to the second level: lines that are read in part, writes by the sectors of a line, atomics
// that take turns at a word. The buffers fit in the second level.
#include "measure.cuh"

/// Each lane reads the first word of a line of its own, of `lines` (a power of two) lines of 32 words; `times` (a multiple
/// of 8) a thread, each an odd number of warps further, so that a warp comes to all lines before it comes back to one. out: exclusive or of the words, a word a thread.
extern "C" __global__ void read_lines(const u32* in, u32 lines, u32 times, u32* out) {
    const u32 further = gridDim.x * blockDim.x | 32;
    u32 line = static_cast<u32>(global_thread()), sum = 0;
    for (u32 i = 0; i < times; i += 8) {
        u32 v[8];
#pragma unroll
        for (int k = 0; k < 8; ++k, line += further)
            asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v[k]) : "l"(in + static_cast<u64>(line & (lines - 1)) * 32));
#pragma unroll
        for (int k = 0; k < 8; ++k) sum ^= v[k];
    }
    out[global_thread()] = sum;
}

/// Each block goes from line to line of a table that kernels/measure/chase.cu has filled, past the first level: `hops` hops
/// (a multiple of 8), twice, the first time to bring the lines. out, a word a block: cycles; then where it ended, in lines.
extern "C" __global__ void chase_everywhere(const u64* table, u32 hops, u64* out) {
    u64 p = reinterpret_cast<u64>(table), cycles = 0;
    for (int pass = 0; pass < 2; ++pass) {
        p = reinterpret_cast<u64>(table);
        const u64 begin = now();
        for (u32 i = 0; i < hops; i += 8) {
#pragma unroll
            for (int k = 0; k < 8; ++k) asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(p)::"memory");
        }
        cycles = now() - begin;
    }
    out[blockIdx.x] = cycles;
    out[gridDim.x + blockIdx.x] = (p - reinterpret_cast<u64>(table)) / 128;
}

/// Each lane writes the first word of a sector; neighbours write the `of_line` (1, 2 or 4) first sectors of a line.
extern "C" __global__ void write_sectors(u32* to, u32 lines, u32 of_line, u32 times) {
    const u32 threads = gridDim.x * blockDim.x;
    u32 sector = static_cast<u32>(global_thread());
    for (u32 i = 0; i < times; i += 8) {
#pragma unroll
        for (int k = 0; k < 8; ++k, sector += threads)
            asm volatile("st.global.u32 [%0], %1;" ::"l"(to + static_cast<u64>(sector / of_line & (lines - 1)) * 32 +
                                                         sector % of_line * 8),
                         "r"(sector % of_line + 1)
                         : "memory");
    }
}

/// As kernels/measure/atomic.cu, of numbers with exponents.
extern "C" __global__ void atomic_float(float* words, u32 cells, u32 times) {
    float* mine = words + (global_thread() & (cells - 1));
    for (u32 i = 0; i < times; ++i) asm volatile("red.global.add.f32 [%0], 0f3F800000;" ::"l"(mine) : "memory");
}

/// A compare-and-swap that never finds what it compares with, as long as no word is 0xffffffff.
extern "C" __global__ void atomic_compare(u32* words, u32 cells, u32 times, u32* out) {
    u32* mine = words + (global_thread() & (cells - 1));
    u32 sum = 0;
    for (u32 i = 0; i < times; ++i) {
        u32 old;
        asm volatile("atom.global.cas.b32 %0, [%1], 0xffffffff, 7;" : "=r"(old) : "l"(mine) : "memory");
        sum += old;
    }
    out[global_thread()] = sum;
}
