// What the matmul rungs for Hopper share: names for the sizes of a tile, how a tile of an operand is loaded and
// described to wgmma, how sums leave the registers.
//   IN                  element type by the ladder's name; f32 is multiplied as TF32
//   TILE_M, TILE_N      the tile of C that a block (or a consumer) makes; a stage holds TILE_M + TILE_N rows of 128 bytes
//   A_ACROSS, B_ACROSS  A is K x M instead of M x K, B is K x N instead of N x K (16-bit types only)
// K along the rows of memory ("K-major"): a tile is rows of 128 bytes of K, one after the other. K across: panels of 64
// columns, in each a row of 128 bytes for each k. Either way TMA swizzles by 128 bytes and wgmma reads it so.
#pragma once

#include "hopper.cuh"

using namespace hopper;

#ifndef IN
#define IN bf16
#endif
#ifndef OUT
#define OUT IN::Result
#endif
#ifndef TILE_M
#define TILE_M 128
#endif
#ifndef TILE_N
#define TILE_N 256
#endif
#ifndef STAGES
#define STAGES 4
#endif
#ifndef A_ACROSS
#define A_ACROSS 0
#endif
#ifndef B_ACROSS
#define B_ACROSS 0
#endif
#define STEP (128 / IN::bytes)  // of K in a stage
#define A_BYTES (TILE_M * 128)
#define B_BYTES (TILE_N * 128)
#define STAGE_BYTES (A_BYTES + B_BYTES)
#define PANEL_BYTES (64 * 128)  // of results: 64 rows of 128 bytes
#define PANEL_COLUMNS (128 / OUT::bytes)

/// A tile of an operand for this block alone: `rows` outer elements from `outer` on, a stage of K from k on. `keep`:
/// nothing, or what L2 should do with it.
template <int rows, bool across, class... Keep>
static __device__ __forceinline__ void load_operand(unsigned to, const TensorMap& map, int outer, int k, unsigned barrier, Keep... keep) {
    if constexpr (across) {
        for (int i = 0; i < rows; i += 64) load_tile(to + i * 128, map, outer + i, k, barrier, keep...);
    } else {
        load_tile(to, map, k, outer, barrier, keep...);
    }
}

/// Part `part` of such a tile for `sharers` blocks of the cluster, sent to all of `blocks`.
template <int rows, int sharers, bool across, class... Keep>
static __device__ __forceinline__ void load_part(unsigned to, const TensorMap& map, int outer, int k, int part, unsigned barrier, unsigned short blocks, Keep... keep) {
    constexpr int size = rows / sharers;
    if constexpr (sharers == 1) {
        load_operand<rows, across>(to, map, outer, k, barrier, keep...);
    } else if constexpr (across) {
        for (int i = part * size; i < (part + 1) * size; i += 64) load_tile_to(to + i * 128, map, outer + i, k, barrier, blocks, keep...);
    } else {
        load_tile_to(to + part * size * 128, map, k, outer + part * size, barrier, blocks, keep...);
    }
}

/// For wgmma: an operand's tile at `at`, quarter j of its K (32 bytes of K-major rows, 16 rows otherwise).
template <bool across>
static __device__ __forceinline__ u64 quarter(unsigned at, int j) {
    return across ? mn_major(at, 64 * 128) + j * (16 * 128 / 16) : k_major(at) + j * (32 / 16);
}

/// sums (64 x TILE_N of a warpgroup, `count` times 64 rows) += a stage of A at a times one of B at b. With first, what
/// the sums held before does not count.
template <int count>
static __device__ __forceinline__ void multiply_stage(IN::Sum (&sums)[count][TILE_N / 2], unsigned a, unsigned b, bool first) {
    wgmma_fence();
#ifdef ROWS_FIRST
#pragma unroll
    for (int i = 0; i < count; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j)
#else
#pragma unroll
    for (int j = 0; j < 4; ++j)
#pragma unroll
        for (int i = 0; i < count; ++i)
#endif
            Wgmma<IN, TILE_N, A_ACROSS, B_ACROSS>::multiply(sums[i], quarter<A_ACROSS>(a + i * 64 * 128, j), quarter<B_ACROSS>(b, j), j > 0 || !first);
    wgmma_commit();
}

/// Sums to C from the registers; row and column are the warpgroup's first. N is even.
template <class Out, class Sum>
static __device__ __forceinline__ void store_sums(void* c, const Sum (&sums)[TILE_N / 2], int row, int column, int M, int N) {
    const int thread = threadIdx.x % 128;
    row += thread / 32 * 16 + thread % 32 / 4;
    column += thread % 4 * 2;
#pragma unroll
    for (int j = 0; j < TILE_N / 4; ++j) {
        const int r = row + j % 2 * 8, n = column + j / 2 * 8;
        if (r < M && n < N) {
            const long long at = static_cast<long long>(r) * N + n;
            if constexpr (Out::bytes == 2) {
                static_cast<unsigned*>(c)[at / 2] = pack(Out(), sums[2 * j], sums[2 * j + 1]);
            } else {
                static_cast<Sum*>(c)[at] = sums[2 * j];
                static_cast<Sum*>(c)[at + 1] = sums[2 * j + 1];
            }
        }
    }
}

/// 64 rows of a panel from the sums of a warpgroup: rows of 128 bytes whose 16-byte pieces are exchanged (swizzle 128),
/// so that eight rows of one column lie in different banks.
template <class Out, class Sum>
static __device__ __forceinline__ void write_panel(unsigned to, const Sum* d, int thread) {
    const int lane = thread % 32;
    if constexpr (Out::bytes == 2) {
        const int row = thread / 32 * 16 + lane % 16;
#pragma unroll
        for (int j = 0; j < 8; j += 2)
            store_matrices(to + row * 128 + ((j + lane / 16) ^ row % 8) * 16, pack(Out(), d[4 * j], d[4 * j + 1]), pack(Out(), d[4 * j + 2], d[4 * j + 3]),
                           pack(Out(), d[4 * j + 4], d[4 * j + 5]), pack(Out(), d[4 * j + 6], d[4 * j + 7]));
    } else {
        const int row = thread / 32 * 16 + lane / 4;
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            const unsigned at = to + row * 128 + ((j * 2 + lane % 4 / 2) ^ row % 8) * 16 + lane % 2 * 8;
            store_shared(at, d[4 * j], d[4 * j + 1]);
            store_shared(at + 8 * 128, d[4 * j + 2], d[4 * j + 3]);
        }
    }
}
