// A product whose tiles are shared by `split` blocks, each with a part of K, that leave their sums in memory for a second launch to add, in the
// order of the parts. And its thin edges: where M or N is little more than whole tiles (257 = 4 x 64 + 1), the last few rows and
// columns (EDGES) are no tiles, which would be nearly empty, but dot products of blocks of their own.
// parts: `split` times BM x BN for each tile, as leave_sums writes them; then `split` times what Edges counts.
#pragma once
#include "register_tiles.cuh"

/// At most 4 rows below whole tiles, beside them at most 4 columns, which are as long as C.
struct Edges {
    int row0, column0, rows, columns, count;

    __device__ __forceinline__ Edges(int M, int N) {
        row0 = EDGES & 1 ? M / BM * BM : M, column0 = EDGES & 2 ? N / BN * BN : N;
        rows = M - row0, columns = N - column0, count = rows * column0 + M * columns;
    }
};

/// A load that stays where it is written: many of them, then what needs them. At the assembler's lowest level, which the main loop wants, each would
/// else be waited for alone. From L2, since what is read may have been written while this launch was beginning.
static __device__ __forceinline__ float load_now(const float* from) {
    float v;
    asm volatile("ld.global.cg.f32 %0, [%1];" : "=f"(v) : "l"(from));
    return v;
}

/// What k0 to k1 contribute to the rows below the tiles: a thread takes 8 columns of B, 6 k at a time, since all of it is waiting for memory.
static __device__ __forceinline__ void multiply_edge_rows(const float* A, const float* B, float* to, const Edges& edges, int N, int K, int k0, int k1) {
    constexpr int wide = 8, deep = 6;
    const int columns = edges.column0;
#pragma unroll 1
    for (int r = 0; r < edges.rows; ++r, to += columns) {
        const float* a_row = A + (long long)(edges.row0 + r) * K;
#pragma unroll 1
        for (int n0 = threadIdx.x; n0 < columns; n0 += wide * THREADS) {
            float sum[wide] = {};
#pragma unroll 1
            for (int k = k0; k < k1; k += deep) {
                float a[deep], b[deep][wide];
#pragma unroll
                for (int d = 0; d < deep; ++d) {
                    const int at = min(k + d, k1 - 1);
                    a[d] = load_now(a_row + at);
                    const float* b_row = B + (long long)at * N;
#pragma unroll
                    for (int j = 0; j < wide; ++j) b[d][j] = load_now(b_row + min(n0 + j * THREADS, columns - 1));
                }
#pragma unroll
                for (int d = 0; d < deep; ++d)
#pragma unroll
                    for (int j = 0; j < wide; ++j) sum[j] += (k + d < k1 ? a[d] : 0.0f) * b[d][j];
            }
#pragma unroll
            for (int j = 0; j < wide; ++j)
                if (n0 + j * THREADS < columns) to[n0 + j * THREADS] = sum[j];
        }
    }
}

/// To the columns beside the tiles: each is kept in shared memory (1024 floats), a warp takes 8 rows of A at a time, 128 k at a time. All threads
/// of the block must call it.
static __device__ __forceinline__ void multiply_edge_columns(const float* A, const float* B, float* to, float* shared, const Edges& edges, int M, int N, int K, int k0, int k1) {
    constexpr int rows = 8, deep = 4, chunk = 1024;
    const int t = threadIdx.x, lane = t % 32, warp = t / 32;
    to += edges.rows * edges.column0;
#pragma unroll 1
    for (int c = 0; c < edges.columns; ++c) {
#pragma unroll 1
        for (int from = k0; from < k1; from += chunk) {
            const int here = min(chunk, k1 - from);
            __syncthreads();
            for (int i = t; i < (here + 32 * deep - 1) / (32 * deep) * (32 * deep); i += THREADS)
                shared[i] = i < here ? B[(long long)(from + i) * N + edges.column0 + c] : 0.0f;
            __syncthreads();
#pragma unroll 1
            for (int m0 = warp * rows; m0 < M; m0 += THREADS / 32 * rows) {
                float sum[rows] = {};
#pragma unroll 1
                for (int i = lane; i < here; i += 32 * deep) {
                    float a[rows][deep];
#pragma unroll
                    for (int r = 0; r < rows; ++r) {
                        const float* a_row = A + (long long)min(m0 + r, M - 1) * K + from;
#pragma unroll
                        for (int d = 0; d < deep; ++d) a[r][d] = load_now(a_row + min(i + d * 32, here - 1));
                    }
#pragma unroll
                    for (int r = 0; r < rows; ++r)
#pragma unroll
                        for (int d = 0; d < deep; ++d) sum[r] += a[r][d] * shared[i + d * 32];
                }
#pragma unroll
                for (int r = 0; r < rows; ++r) {
#pragma unroll
                    for (int d = 16; d > 0; d /= 2) sum[r] += __shfl_xor_sync(0xffffffffu, sum[r], d);
                    float* p = to + (m0 + r) * edges.columns + c;
                    if (lane == 0 && m0 + r < M) *p = from == k0 ? sum[r] : *p + sum[r];
                }
            }
        }
    }
}

/// Rows or columns of one part after the other; `first` of `blocks` blocks that do it.
static __device__ __forceinline__ void multiply_edges(const float* A, const float* B, float* parts, float* shared, int first, int blocks, int M, int N, int K, int split) {
    const Edges edges(M, N);
    const int steps = (K + BK - 1) / BK;
#pragma unroll 1
    for (int i = first; i < 2 * split; i += blocks) {
        const int part = i % split, k0 = steps * part / split * BK, k1 = min(K, steps * (part + 1) / split * BK);
        float* to = parts + (long long)part * edges.count;
        if (i < split) multiply_edge_rows(A, B, to, edges, N, K, k0, k1);
        else multiply_edge_columns(A, B, to, shared, edges, M, N, K, k0, k1);
    }
}

/// The sum of `count` words, `apart` words from one to the next, for each of W that are `beside` words from each other; `deep` of the former at a time.
template <int deep, int W>
static __device__ __forceinline__ void add_words(float (&sum)[W], const float* from, int count, long long apart, int beside) {
#pragma unroll 1
    for (int p = 0; p < count; p += deep) {
        float v[deep][W];
#pragma unroll
        for (int d = 0; d < deep; ++d)
#pragma unroll
            for (int e = 0; e < W; ++e) v[d][e] = load_now(from + min(p + d, count - 1) * apart + e * beside);
#pragma unroll
        for (int d = 0; d < deep; ++d)
#pragma unroll
            for (int e = 0; e < W; ++e)
                if (p + d < count) sum[e] += v[d][e];
    }
}
template <int W>
static __device__ __forceinline__ void add_up(float (&sum)[W], const float* from, int count, long long apart, int beside) {
    if (count <= 2) add_words<2>(sum, from, count, apart, beside);
    else if (count <= 4) add_words<4>(sum, from, count, apart, beside);
    else add_words<8>(sum, from, count, apart, beside);
}

/// The second launch: a thread adds up four neighbouring sums of a tile, or one of the edges.
static __device__ __forceinline__ void add_parts(const float* parts, float* C, int M, int N, int split, long long item) {
    const int tiles = tile_rows(M) * tile_columns(N);
    const Edges edges(M, N);
    constexpr int each = BM * BN / 4;
    if (item >= (long long)tiles * each) {
        const long long at = item - (long long)tiles * each;
        if (at >= edges.count) return;
        float sum[1] = {};
        add_up(sum, parts + (long long)tiles * split * (BM * BN) + at, split, edges.count, 0);
        const int e = static_cast<int>(at), low = edges.rows * edges.column0;
        const int row = e < low ? edges.row0 + e / edges.column0 : (e - low) / edges.columns;
        const int column = e < low ? e % edges.column0 : edges.column0 + (e - low) % edges.columns;
        C[(long long)row * N + column] = sum[0];
        return;
    }
    const int tile = static_cast<int>(item / each), in_tile = static_cast<int>(item % each);
    const int first = in_tile / THREADS * 4, i = first / TN, j = first % TN;
    const Thread theirs(in_tile % THREADS);
    float sum[4] = {};
    add_up(sum, parts + (long long)tile * split * (BM * BN) + first * THREADS + in_tile % THREADS, split, BM * BN, THREADS);
    int row, column;
    place(tile, M, N, row, column);
    row += theirs.row + i / 4 * LR * 4 + i % 4, column += theirs.column + j * LC;
    if (row >= M) return;
    float* to = C + (long long)row * N + column;
    if (N % 4 == 0 && column < N) *reinterpret_cast<float4*>(to) = make_float4(sum[0], sum[1], sum[2], sum[3]);
    else
#pragma unroll
        for (int e = 0; e < 4; ++e)
            if (column + e < N) to[e] = sum[e];
}
