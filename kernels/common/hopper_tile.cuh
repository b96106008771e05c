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
#ifdef KEEP  // A, which the tiles of a group use again and again, stays in L2 at the cost of B and C
#define KEEP_A , kKeepLong
#define KEEP_B , kKeepLittle
#define KEEP_C , kKeepLittle
#else
#define KEEP_A
#define KEEP_B
#define KEEP_C
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

/// The ring of stages as one side goes round it: the phase turns with each round.
struct Ring {
    unsigned stages, full;  // addresses: of the stages, of the barriers that say a stage is full; behind them those that it is empty
    int stage = 0;
    unsigned phase = 0;

    __device__ __forceinline__ Ring(unsigned at, unsigned barriers) : stages(at), full(barriers) {}
    __device__ __forceinline__ unsigned empty() const { return full + STAGES * 8; }
    /// By one thread, before all others. `readers`: how many hand a stage back.
    __device__ __forceinline__ void prepare(unsigned readers) const {
#pragma unroll
        for (int s = 0; s < STAGES; ++s) {
            barrier_init(full + s * 8, 1);
            barrier_init(empty() + s * 8, readers);
        }
    }
    __device__ __forceinline__ unsigned at() const { return stages + stage * STAGE_BYTES; }
    __device__ __forceinline__ void next() {
        if (++stage == STAGES) stage = 0, phase ^= 1;
    }
    __device__ __forceinline__ void skip(int by) {
        stage += by;
        phase ^= stage / STAGES & 1;
        stage %= STAGES;
    }
    __device__ __forceinline__ void wait_full() const { barrier_wait(full + stage * 8, phase); }
    __device__ __forceinline__ void wait_empty() const { barrier_wait(empty() + stage * 8, phase ^ 1); }
    /// Until all stages are free. In a cluster a block ends only then: the others may still tell its barriers.
    __device__ __forceinline__ void drain() {
        for (int i = 0; i < STAGES; ++i, next()) wait_empty();
    }
};

/// sums = the next `count` stages of A from first_row on, times those of B. A stage is handed back, release(stage), while the
/// one after it is multiplied. The last is left: what is returned is to be released after wgmma_wait<0>().
template <int rows, class Release>
static __device__ __forceinline__ int multiply_stages(IN::Sum (&sums)[rows][TILE_N / 2], Ring& ring, int count, int first_row, Release release) {
    int before = 0;
#pragma unroll 1
    for (int k = 0; k < count; ++k, ring.next()) {
        ring.wait_full();
        multiply_stage(sums, ring.at() + first_row * 128, ring.at() + A_BYTES, k == 0);
        if (k > 0) {
            wgmma_wait<1>();
            release(before);
        }
        before = ring.stage;
    }
    return before;
}

/// Blocks of a cluster, across_m x across_n tiles, that load for each other: those in a row share A, those in a column
/// B. `base` is the first one's rank where a cluster holds several such groups.
template <int across_m, int across_n>
struct Sharing {
    static constexpr int told = across_m + across_n - 1;  // blocks that load a part of a stage: those in my row and column
    int base, m, n;                                       // my place

    __device__ __forceinline__ Sharing(int rank, int base = 0) : base(base), m(rank % across_m), n(rank / across_m % across_n) {}
    /// The producer's step: a stage is filled by all that share in it, and counted here.
    __device__ __forceinline__ void load(const Ring& ring, const TensorMap& a, const TensorMap& b, int row, int column, int k) const {
        unsigned short in_row = 0, in_column = 0;
        for (int i = 0; i < across_n; ++i) in_row |= 1 << (base + i * across_m + m);
        for (int i = 0; i < across_m; ++i) in_column |= 1 << (base + n * across_m + i);
        const unsigned barrier = ring.full + ring.stage * 8;
        ring.wait_empty();
        barrier_expect(barrier, STAGE_BYTES);  // all of it, whoever loads it
        load_part<TILE_M, across_n, A_ACROSS>(ring.at(), a, row, k, n, barrier, in_row KEEP_A);
        load_part<TILE_N, across_m, B_ACROSS>(ring.at() + A_BYTES, b, column, k, m, barrier, in_column KEEP_B);
    }
    /// The empty barriers of the block that this thread tells when a stage has been read: threads below `told` tell one each.
    __device__ __forceinline__ unsigned told_by(int thread, unsigned empty) const {
        const int other_m = thread - across_n < m ? thread - across_n : thread - across_n + 1;
        return told > 1 && thread < told ? in_block(empty, base + (thread < across_n ? thread * across_m + m : n * across_m + other_m)) : empty;
    }
    static __device__ __forceinline__ void release(int thread, unsigned there, int stage) {
        if (thread < told) {
            if constexpr (told > 1) barrier_arrive_cluster(there + stage * 8);
            else barrier_arrive(there + stage * 8);
        }
    }
};

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
