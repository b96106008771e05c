// mma.sync without padding. The 16-byte pieces of a row are permuted by an exclusive or with the row's number, so the
// eight rows that ldmatrix reads at once lie in different banks and no byte of shared memory is lost: a deeper
// pipeline fits, and tiles lie as tensor copies will lay them from the next rung on. The fragments of the next 32
// bytes of K are read while those of the present ones are multiplied; at a tile's end that means the next tile's.
#include "../common/mma.cuh"

#ifndef ELEMENT
#define ELEMENT bf16
#endif
#ifndef NT
#define NT 1  // B is stored N x K; 0: K x N, 16-bit types only
#endif
#ifndef BM
#define BM 128
#endif
#ifndef BN
#define BN 256
#endif
#ifndef BK
#define BK 64  // bytes of a row of a tile
#endif
#ifndef WM
#define WM 64
#endif
#ifndef WN
#define WN 64
#endif
#ifndef STAGES
#define STAGES 4
#endif
#ifndef GROUP
#define GROUP 8
#endif
#ifndef BLOCKS
#define BLOCKS 1  // on a multiprocessor
#endif
#define THREADS (BM / WM * (BN / WN) * 32)

typedef ELEMENT T;
typedef sum_t<T> Sum;
typedef output_t<T> Output;
constexpr int kPerCopy = 16 / sizeof(T);
constexpr int kTile = BK / sizeof(T);
constexpr int kBRow = NT ? BK : BN * 2;  // bytes of a row of B's tile, and how many there are
constexpr int kBRows = NT ? BN : BK / 2;
constexpr int kStage = (BM + BN) * BK;
static_assert(NT || sizeof(T) == 2, "ldmatrix.trans turns 16-bit elements");

/// Where piece `piece` of row `row` lies, in a tile whose rows have Width bytes. Bank lines are 128 bytes: rows that
/// share a line need no other permutation.
template <int Width> static __device__ __forceinline__ unsigned place(unsigned row, unsigned piece) {
    constexpr unsigned per_line = Width < 128 ? 128 / Width : 1, pieces = Width < 128 ? Width / 16 : 8;
    return row * Width + ((piece ^ (row / per_line % pieces)) * 16);
}

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
    matmul_mma_swizzled(const T* __restrict__ A, const T* __restrict__ B, Output* __restrict__ C, int M, int N, int K) {
    extern __shared__ __align__(128) unsigned char shared[];
    const unsigned base = shared_address(shared);
    const unsigned t = threadIdx.x, lane = t % 32;  // unsigned: division by constants is a shift
    const int warp = t / 32;

    const int rows = (M + BM - 1) / BM, columns = (N + BN - 1) / BN;
    const int per_group = GROUP * columns, group = blockIdx.x / per_group;
    const int in_group = min(GROUP, rows - group * GROUP);
    const int row0 = (group * GROUP + blockIdx.x % per_group % in_group) * BM;
    const int column0 = blockIdx.x % per_group / in_group * BN;

    auto fetch = [&](int stage, int k0) {
        const unsigned a = base + stage * kStage, b = a + BM * BK;
#pragma unroll
        for (unsigned i = t; i < BM * (BK / 16); i += THREADS) {
            const int r = i / (BK / 16), piece = i % (BK / 16), row = row0 + r, k = k0 + piece * kPerCopy;
            const bool valid = row < M && k < K;
            copy16(a + place<BK>(r, piece), A + (valid ? (long long)row * K + k : 0), valid);
        }
#pragma unroll
        for (unsigned i = t; i < kBRows * (kBRow / 16); i += THREADS) {
            const int r = i / (kBRow / 16), piece = i % (kBRow / 16);
            const int column = NT ? column0 + r : column0 + piece * kPerCopy, k = NT ? k0 + piece * kPerCopy : k0 + r;
            const bool valid = column < N && k < K;
            copy16(b + place<kBRow>(r, piece), B + (valid ? (NT ? (long long)column * K + k : (long long)k * N + column) : 0), valid);
        }
    };

    const int warp_row = warp / (BN / WN) * WM, warp_column = warp % (BN / WN) * WN;
    Sum sum[WM / 16][WN / 8][4] = {};
    unsigned a[2][WM / 16][4], b[2][WN / 16][4];
    auto read = [&](int which, unsigned tile, int k) {
#pragma unroll
        for (int i = 0; i < WM / 16; ++i) {
            load_matrices(a[which][i], tile + place<BK>(warp_row + i * 16 + lane % 16, k / 16 + lane / 16));
            round_fragment(T{}, a[which][i]);
        }
#pragma unroll
        for (int j = 0; j < WN / 16; ++j) {
            const unsigned from = tile + BM * BK;
            if (NT)
                load_matrices(b[which][j], from + place<kBRow>(warp_column + j * 16 + lane / 16 * 8 + lane % 8, k / 16 + lane / 8 % 2));
            else
                load_matrices_transposed(b[which][j], from + place<kBRow>(k / 2 + lane % 16, (warp_column + j * 16) / 8 + lane / 16));
            round_fragment(T{}, b[which][j]);
        }
    };

    const int steps = (K + kTile - 1) / kTile;
#pragma unroll
    for (int s = 0; s < STAGES - 1; ++s) {
        if (s < steps) fetch(s, s * kTile);
        copy_commit();
    }
    copy_wait<STAGES - 2>();
    __syncthreads();
    read(0, base, 0);
    int stage = 0, next = STAGES - 1;
    for (int step = 0; step < steps; ++step) {
        const unsigned tile = base + stage * kStage;
        if (step + STAGES - 1 < steps) fetch(next, (step + STAGES - 1) * kTile);
        copy_commit();
        stage = stage + 1 == STAGES ? 0 : stage + 1;
        next = next + 1 == STAGES ? 0 : next + 1;
#pragma unroll
        for (int k = 0; k < BK; k += 32) {
            const int now = k / 32 % 2;
            if (k + 32 < BK) {
                read(1 - now, tile, k + 32);
            } else {
                // Everything of this tile has been read: its place may be written, and the next tile is needed.
                copy_wait<STAGES - 2>();
                __syncthreads();
                read(1 - now, base + stage * kStage, 0);
            }
#pragma unroll
            for (int i = 0; i < WM / 16; ++i)
#pragma unroll
                for (int n = 0; n < WN / 8; ++n) {
                    const int j = i % 2 ? WN / 8 - 1 - n : n;  // there and back: neighbours share a fragment
                    multiply(T{}, sum[i][j], a[now][i], b[now][j / 2][j % 2 * 2], b[now][j / 2][j % 2 * 2 + 1]);
                }
        }
    }

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
