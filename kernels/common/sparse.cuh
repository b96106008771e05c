// 2:4 structured sparsity on Hopper: of four neighbours along K of A at most two are not zero. A is stored at half its
// width, the two values of each four side by side, with 4 bits of metadata: the places (0..3) of the first and of the
// second. wgmma.sp multiplies 64 x 32 stored bytes by a B that is 64 bytes of K deep, in the time of a dense wgmma.
//
// Metadata comes from registers. For 16-bit types a row of one instruction has 32 bits: with selector 0 the lanes 0 and
// 1 of each quad give them, with selector 1 the lanes 2 and 3, so one word a thread is good for two instructions. The
// word of lane l of warp w: bits 0-15 for row 16 w + l / 4, bits 16-31 for the row 8 below; fours l % 2 * 4 .. + 3 of
// the instruction. For 8-bit types all lanes give a word to every instruction: lane l has fours 8 (l % 4 / 2) .. + 7 of row
// 16 w + l / 4 + 8 (l % 2).
// In memory: for each 64 rows, for each kMetadataBytes of K, four words for each of 128 threads.
#pragma once

#include "hopper.cuh"

namespace sparse {

using namespace hopper;

constexpr int kStageBytes = 128;                   // of B along K, in one step of the pipeline: two instructions
template <class T> constexpr int kStageK = kStageBytes / T::bytes;
template <class T> constexpr int kStagesPerLoad = T::bytes == 2 ? 4 : 2;  // of four words of metadata
template <class T> constexpr int kMetadataK = kStageK<T> * kStagesPerLoad<T>;

/// Where stored A begins: rows of 64 bytes, swizzled by 64; 8 rows further are 512 bytes further.
HOPPER_INLINE u64 stored_rows(unsigned at) { return 0x8000002000010000ull | (at & 0x3ffff) >> 4; }

/// multiply(sums, a, b, metadata, add): a 64 x 32 bytes stored, b 64 bytes x n.
template <class Type, int n, int selector> struct WgmmaSparse;

#define SPARSE_WGMMA(type, n, k, a, b, e, add, s, tail)                                                                       \
    template <int selector> struct WgmmaSparse<type, n, selector> {                                                           \
        static __device__ __forceinline__ void multiply(float (&d)[n / 2], u64 at_a, u64 at_b, unsigned metadata, int adds) { \
            asm volatile("{\n.reg .pred add;\nsetp.ne.b32 add, " add ", 0;\nwgmma.mma_async.sp.sync.aligned.m64n" #n k         \
                         ".f32." #type "." #type " {" HOPPER_NAMES_N##n "}, " a ", " b ", " e ", " s ", add" tail ";\n}"        \
                         : HOPPER_OPERANDS_N##n(HOPPER_OF_FLOAT, d)                                                           \
                         : "l"(at_a), "l"(at_b), "r"(metadata), "r"(adds), "n"(selector));                                    \
        }                                                                                                                     \
    };
#define SPARSE_WGMMAS(n, a, b, e, add, s)                          \
    SPARSE_WGMMA(bf16, n, "k32", a, b, e, add, s, ", 1, 1, 0, 0")  \
    SPARSE_WGMMA(f16, n, "k32", a, b, e, add, s, ", 1, 1, 0, 0")   \
    SPARSE_WGMMA(e4m3, n, "k64", a, b, e, add, s, ", 1, 1")        \
    SPARSE_WGMMA(e5m2, n, "k64", a, b, e, add, s, ", 1, 1")
SPARSE_WGMMAS(128, "%64", "%65", "%66", "%67", "%68")
SPARSE_WGMMAS(192, "%96", "%97", "%98", "%99", "%100")
SPARSE_WGMMAS(256, "%128", "%129", "%130", "%131", "%132")

}  // namespace sparse
