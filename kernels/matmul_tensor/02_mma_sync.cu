// mma.sync with ldmatrix, fed by asynchronous copies. A block makes BM x BN of C; the next STAGES - 1 tiles of A and B
// are on their way to shared memory while one is multiplied. A warp keeps WM x WN sums in registers, so a fragment
// that ldmatrix brings is used WN / 8 or WM / 16 times. Rows in shared memory are padded by 16 bytes: the eight rows
// that ldmatrix reads at once then lie in different banks.
// Everything but the product is in bytes (common/mma.cuh), so one text serves all types. B stored K x N (NT = 0) is
// for 16-bit types only: ldmatrix.trans turns elements of 16 bits.
#include "../common/mma.cuh"

#ifndef ELEMENT
#define ELEMENT bf16
#endif
#ifndef NT
#define NT 1  // B is stored N x K; 0: K x N
#endif
#ifndef BM
#define BM 128
#endif
#ifndef BN
#define BN 128
#endif
#ifndef BK
#define BK 64  // bytes of a row of a tile
#endif
#ifndef WM
#define WM 64
#endif
#ifndef WN
#define WN 32
#endif
#ifndef STAGES
#define STAGES 4
#endif
#ifndef GROUP
#define GROUP 8  // rows of tiles that neighbouring blocks share, for the L2 cache
#endif
#ifndef BLOCKS
#define BLOCKS 1  // on a multiprocessor
#endif
#define THREADS (BM / WM * (BN / WN) * 32)

typedef ELEMENT T;
typedef sum_t<T> Sum;
typedef output_t<T> Output;
constexpr int kPerCopy = 16 / sizeof(T);       // elements of one 16-byte copy
constexpr int kTile = BK / sizeof(T);          // k of a tile
constexpr int kStride = BK + 16;               // bytes from row to row
constexpr int kBRow = NT ? BK : BN * 2;        // bytes of a row of B's tile, and how many there are
constexpr int kBRows = NT ? BN : BK / 2;
constexpr int kBStride = kBRow + 16;
constexpr int kStage = BM * kStride + kBRows * kBStride;
static_assert(NT || sizeof(T) == 2, "ldmatrix.trans turns 16-bit elements");

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
    matmul_mma_sync(const T* __restrict__ A, const T* __restrict__ B, Output* __restrict__ C, int M, int N, int K) {
    extern __shared__ __align__(16) unsigned char shared[];
    const unsigned base = shared_address(shared);
    const unsigned t = threadIdx.x, lane = t % 32;  // unsigned: division by constants is a shift
    const int warp = t / 32;

    // Neighbouring blocks work on GROUP rows of tiles, column by column: what they read together stays in the L2 cache.
    const int rows = (M + BM - 1) / BM, columns = (N + BN - 1) / BN;
    const int per_group = GROUP * columns, group = blockIdx.x / per_group;
    const int in_group = min(GROUP, rows - group * GROUP);
    const int row0 = (group * GROUP + blockIdx.x % per_group % in_group) * BM;
    const int column0 = blockIdx.x % per_group / in_group * BN;

    auto fetch = [&](int stage, int k0) {
        const unsigned a = base + stage * kStage, b = a + BM * kStride;
#pragma unroll
        for (unsigned i = t; i < BM * (BK / 16); i += THREADS) {
            const int r = i / (BK / 16), piece = i % (BK / 16), row = row0 + r, k = k0 + piece * kPerCopy;
            const bool valid = row < M && k < K;
            copy16(a + r * kStride + piece * 16, A + (valid ? (long long)row * K + k : 0), valid);
        }
#pragma unroll
        for (unsigned i = t; i < kBRows * (kBRow / 16); i += THREADS) {
            const int r = i / (kBRow / 16), piece = i % (kBRow / 16);
            const int column = NT ? column0 + r : column0 + piece * kPerCopy, k = NT ? k0 + piece * kPerCopy : k0 + r;
            const bool valid = column < N && k < K;
            copy16(b + r * kBStride + piece * 16, B + (valid ? (NT ? (long long)column * K + k : (long long)k * N + column) : 0), valid);
        }
    };

    const int warp_row = warp / (BN / WN) * WM, warp_column = warp % (BN / WN) * WN;
    // Where this lane's row of the four matrices of an ldmatrix lies. A: rows 0-7, 8-15, then both 16 bytes on. B (two
    // pieces of 8 columns): columns 0-7 and 16 bytes on, then columns 8-15; transposed, rows are k.
    const unsigned a_at = (warp_row + lane % 16) * kStride + lane / 16 * 16;
    const unsigned b_at = BM * kStride + (NT ? (warp_column + lane / 16 * 8 + lane % 8) * kBStride + lane / 8 % 2 * 16
                                             : lane % 16 * kBStride + (warp_column + lane / 16 * 8) * 2);
    Sum sum[WM / 16][WN / 8][4] = {};

    const int steps = (K + kTile - 1) / kTile;
#pragma unroll
    for (int s = 0; s < STAGES - 1; ++s) {
        if (s < steps) fetch(s, s * kTile);
        copy_commit();
    }
    int stage = 0, next = STAGES - 1;
    for (int step = 0; step < steps; ++step) {
        copy_wait<STAGES - 2>();
        __syncthreads();  // this tile is there for all, and all are done with the one that is overwritten now
        if (step + STAGES - 1 < steps) fetch(next, (step + STAGES - 1) * kTile);
        copy_commit();
        const unsigned at = base + stage * kStage;
#pragma unroll
        for (int k = 0; k < BK; k += 32) {
            unsigned a[WM / 16][4], b[WN / 16][4];
#pragma unroll
            for (int i = 0; i < WM / 16; ++i) {
                load_matrices(a[i], at + a_at + i * 16 * kStride + k);
                round_fragment(T{}, a[i]);
            }
#pragma unroll
            for (int j = 0; j < WN / 16; ++j) {
                if (NT)
                    load_matrices(b[j], at + b_at + j * 16 * kBStride + k);
                else
                    load_matrices_transposed(b[j], at + b_at + k / 2 * kBStride + j * 32);
                round_fragment(T{}, b[j]);
            }
#pragma unroll
            for (int i = 0; i < WM / 16; ++i)
#pragma unroll
                for (int j = 0; j < WN / 8; ++j) multiply(T{}, sum[i][j], a[i], b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]);
        }
        stage = stage + 1 == STAGES ? 0 : stage + 1;
        next = next + 1 == STAGES ? 0 : next + 1;
    }

    // A lane holds two neighbours of row lane / 4 and two of the row 8 below.
#pragma unroll
    for (int i = 0; i < WM / 16; ++i)
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            const int row = row0 + warp_row + i * 16 + half * 8 + int(lane / 4);
            if (row >= M) continue;
#pragma unroll
            for (int j = 0; j < WN / 8; ++j) {
                const int column = column0 + warp_column + j * 8 + int(lane % 4) * 2;
                if (column < N)
                    store_pair(C + (long long)row * N + column, sum[i][j][half * 2], sum[i][j][half * 2 + 1], column + 1 < N, N % 2 == 0);
            }
        }
}
