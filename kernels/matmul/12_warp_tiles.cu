// Warp tiles with hardly an instruction that does not multiply. What Nsight Compute showed of the rung before: a seventh of
// its instructions went to addresses and bounds of copies, and lanes that read the same words at the same time kept the register file
// from taking new operands. Here:
//   - a row (column) past the edge is replaced by the last one instead of being tested for: its sums are never stored.
//     Only the last tile of K, where zeros matter, takes copies that can be left out;
//   - lanes stand askew, so that no two neighbours read the same 16 bytes: a read takes four passes over the banks
//     instead of two, and its data arrives in four parts between which multiply-adds get their turn (measured +2 %);
//   - TMA 1: the operand that lies along its rows (B as K x N, A as K x M) comes through the tensor memory accelerator:
//     one thread asks for a whole tile. The other one must be transposed on its way, which only copies of 4 bytes do;
//   - SPLIT: so many blocks, a cluster, share a tile and each multiplies a part of K. They add up through each other's
//     shared memory in the order of the parts, so results do not depend on timing. For products with few tiles.
//   tiles: BM x BN sums a block, TM x TN a thread; a warp is LR rows by 32 / LR columns of threads
//   TRANS_A: A is stored K x M; TRANS_B: B is stored N x K; WIDE 0: rows do not start on 16 bytes
#include "../common/hopper.cuh"

using namespace hopper;

#ifndef BM
#define BM 128
#endif
#ifndef BN
#define BN 256
#endif
#ifndef TM
#define TM 16
#endif
#ifndef TN
#define TN 8
#endif
#ifndef LR
#define LR 4
#endif
#ifndef STAGES
#define STAGES 4
#endif
#ifndef BLOCKS
#define BLOCKS 1  // on a multiprocessor
#endif
#ifndef GROUP
#define GROUP 8  // rows of tiles that neighbouring blocks share, for the L2 cache
#endif
#ifndef TRANS_A
#define TRANS_A 0
#endif
#ifndef TRANS_B
#define TRANS_B 0
#endif
#ifndef SPLIT
#define SPLIT 1
#endif
#ifndef TMA
#define TMA 0
#endif
#ifndef WIDE
#define WIDE 0
#endif
#ifndef SKEW
#define SKEW 1
#endif
#define BK 16
#define LC (32 / LR)
#define WM (TM * LR)
#define WN (TN * LC)
#define THREADS (BM / WM * (BN / WN) * 32)
#define TMA_A (TMA && TRANS_A)
#define TMA_B (TMA && !TRANS_B)
#define A_STRIDE (BM + (TRANS_A ? 0 : 4))  // transposing writes spread over the banks
#define B_STRIDE (BN + (TRANS_B ? 4 : 0))
#define A_FLOATS (BK * A_STRIDE)
#define STAGE_FLOATS (BK * (A_STRIDE + B_STRIDE))

static __device__ __forceinline__ void copy4(unsigned to, const float* from) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(from) : "memory");
}
static __device__ __forceinline__ void copy16(unsigned to, const float* from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
}
static __device__ __forceinline__ void copy4(unsigned to, const float* from, bool valid) {
    int bytes = valid ? 4 : 0;
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(from), "r"(bytes) : "memory");
}
static __device__ __forceinline__ void copy16(unsigned to, const float* from, bool valid) {
    int bytes = valid ? 16 : 0;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes) : "memory");
}
// One operand's share of this thread's copies. ROWS: rows of A or columns of B in the tile; STRIDE: in shared memory.
template <int ROWS, int STRIDE, bool ALONG_K>
struct Operand {
    static constexpr int width = WIDE && !ALONG_K ? 4 : 1;                     // floats of a copy
    static constexpr int count = ALONG_K ? ROWS * 8 / THREADS : 1;             // rows of this thread
    static constexpr int step = ALONG_K ? 8 : THREADS * width / ROWS;          // k from a copy to the next
    const float* from[count];  // this thread's first element of the next tile
    long long pitch;
    int k;
    unsigned to;

    __device__ __forceinline__ Operand(const float* matrix, int rows, int K, int row0, int k0, unsigned tile, int t) {
        k = ALONG_K ? t % 8 : t / (ROWS / width);
        const int row = ALONG_K ? t / 8 : t % (ROWS / width) * width;
        pitch = ALONG_K ? 8 : (long long)rows * step;
        to = tile + (k * STRIDE + row) * 4;
#pragma unroll
        for (int r = 0; r < count; ++r)
            from[r] = matrix + (ALONG_K ? (long long)min(row0 + row + r * (THREADS / 8), rows - 1) * K + k0 + k
                                        : (long long)(k0 + k) * rows + min(row0 + row, rows - width));
    }
    // left: how many k there are from this tile's first on; the rest of a tile is filled with zeros
    template <bool TAIL>
    __device__ __forceinline__ void fetch(unsigned stage, int left) {
#pragma unroll
        for (int r = 0; r < count; ++r)
#pragma unroll
            for (int q = 0; q < BK; q += step) {
                const unsigned at = to + stage + (q * STRIDE + (ALONG_K ? r * (THREADS / 8) : 0)) * 4;
                const float* p = from[r] + q / step * pitch;
                const bool valid = k + q < left;
                if (TAIL && !valid) p = from[r];
                if (width == 4) TAIL ? copy16(at, p, valid) : copy16(at, p);
                else TAIL ? copy4(at, p, valid) : copy4(at, p);
            }
#pragma unroll
        for (int r = 0; r < count; ++r) from[r] += BK / step * pitch;
    }
};

#if TMA
extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
    matmul_warp_tiles(const __grid_constant__ TensorMap map_a, const __grid_constant__ TensorMap map_b, const float* __restrict__ A,
                      const float* __restrict__ B, float* __restrict__ C, int M, int N, int K) {
    const TensorMap &tensor_a = TENSOR_MAP(matmul_warp_tiles, 0, map_a), &tensor_b = TENSOR_MAP(matmul_warp_tiles, 1, map_b);
#else
extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
    matmul_warp_tiles(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N, int K) {
#endif
    extern __shared__ __align__(128) float shared[];
    // The order below is meant: at its highest level the assembler gathers the reads of shared memory into bursts and puts
    // two operands of every tenth multiply-add into one bank; at this level it keeps the order (measured +4 %).
    asm volatile("// ptxas: -O1");
    if (M == 0 || N == 0) return;
    const int t = threadIdx.x, lane = t % 32, warp = t / 32;
    const int tile_index = blockIdx.x / SPLIT;
    const int rows = (M + BM - 1) / BM, columns = (N + BN - 1) / BN;
    const int per_group = GROUP * columns, group = tile_index / per_group;
    const int in_group = min(GROUP, rows - group * GROUP);
    const int row0 = (group * GROUP + tile_index % per_group % in_group) * BM;
    const int column0 = tile_index % per_group / in_group * BN;
    const int all_steps = (K + BK - 1) / BK;
#if SPLIT > 1
    const int part = blockIdx.x % SPLIT;
    const int first = all_steps * part / SPLIT, steps = all_steps * (part + 1) / SPLIT - first;
#else
    const int first = 0, steps = all_steps;
#endif
    const unsigned base = shared_address(shared), full = base + STAGES * STAGE_FLOATS * 4;  // mbarriers behind the stages
    (void)full;
#if TMA
    if (t == 0) {
        for (int s = 0; s < STAGES; ++s) barrier_init(full + s * 8, 1);
        barrier_init_done();
    }
    __syncthreads();
#endif
#if !TMA_A
    Operand<BM, A_STRIDE, !TRANS_A> copy_a(A, M, K, row0, first * BK, base, t);
#endif
#if !TMA_B
    Operand<BN, B_STRIDE, TRANS_B> copy_b(B, N, K, column0, first * BK, base + A_FLOATS * 4, t);
#endif
    auto fetch = [&](int slot, int step) {
        const unsigned stage = slot * (STAGE_FLOATS * 4);
#if TMA
        if (t == 0) {
            const unsigned bar = full + slot * 8;
            const int k0 = (first + step) * BK;
            barrier_expect(bar, (TMA_A ? BM * BK * 4 : 0) + (TMA_B ? BN * BK * 4 : 0));
#if TMA_A
            load_tile(base + stage, tensor_a, row0, k0, bar);
#endif
#if TMA_B
            load_tile(base + stage + A_FLOATS * 4, tensor_b, column0, k0, bar);
#endif
        }
#endif
#if !TMA_A || !TMA_B
        const int left = K - (first + step) * BK;
        if (left >= BK) {
#if !TMA_A
            copy_a.template fetch<false>(stage, left);
#endif
#if !TMA_B
            copy_b.template fetch<false>(stage, left);
#endif
        } else {
#if !TMA_A
            copy_a.template fetch<true>(stage, left);
#endif
#if !TMA_B
            copy_b.template fetch<true>(stage, left);
#endif
        }
#endif
    };

#if SKEW
    const int lane_row = lane % LR, lane_column = (lane / LR + lane) % LC;
#else  // pairs of lanes share rows, pairs of pairs columns: two passes a read, where reads are many
    const int lane_row = lane % 2 + lane / (2 * LC) * 2, lane_column = lane / 2 % LC;
#endif
    const int warp_row = warp / (BN / WN) * WM, warp_column = warp % (BN / WN) * WN;
    const int my_row = warp_row + lane_row * 4, my_column = warp_column + lane_column * 4;
    float sum[TM][TN] = {};
    float a[2][TM], b[2][TN];
    auto read = [&](int which, const float* tile, int k) {
        const float* ta = tile + k * A_STRIDE + my_row;
        const float* tb = tile + A_FLOATS + k * B_STRIDE + my_column;
#pragma unroll
        for (int i = 0; i < TM; i += 4) *reinterpret_cast<float4*>(&a[which][i]) = *reinterpret_cast<const float4*>(ta + i * LR);
#pragma unroll
        for (int j = 0; j < TN; j += 4) *reinterpret_cast<float4*>(&b[which][j]) = *reinterpret_cast<const float4*>(tb + j * LC);
    };

#pragma unroll
    for (int s = 0; s < STAGES - 1; ++s) {
        if (s < steps) fetch(s, s);
        asm volatile("cp.async.commit_group;" ::: "memory");
    }
    asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
#if TMA
    if (steps > 0) barrier_wait(full, 0);
#endif
    __syncthreads();
    int slot = 0, next = STAGES - 1;
    unsigned phase = 0;
    // Copies for the step STAGES - 1 ahead; the wait for those of the next one.
    auto ahead = [&](int step) {
        if (step + STAGES - 1 < steps) fetch(next, step + STAGES - 1);
#if !TMA_A || !TMA_B
        asm volatile("cp.async.commit_group;" ::: "memory");
#endif
        next = next + 1 == STAGES ? 0 : next + 1;
    };
    auto arrived = [&](int step) {
#if !TMA_A || !TMA_B
        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
#endif
#if TMA
        if (step + 1 < steps) barrier_wait(full + slot * 8, phase);
#endif
        __syncthreads();
    };
    if (row0 + warp_row >= M || column0 + warp_column >= N) {
        // All of this warp's sums are past the edge: it only helps to copy, and leaves the multiprocessor to the others.
        for (int step = 0; step < steps; ++step) {
            ahead(step);
            slot = slot + 1 == STAGES ? 0 : slot + 1;
            if (slot == 0) phase ^= 1;
            arrived(step);
        }
    } else {
        read(0, shared, 0);
        for (int step = 0; step < steps; ++step) {
            const float* tile = shared + slot * STAGE_FLOATS;
            slot = slot + 1 == STAGES ? 0 : slot + 1;
            if (slot == 0) phase ^= 1;
#pragma unroll
            for (int k = 0; k < BK; ++k) {
                if (k == 0) ahead(step);
                if (k + 1 == BK) arrived(step);
                if (k + 1 < BK) read((k + 1) % 2, tile, k + 1);
                else read(0, shared + slot * STAGE_FLOATS, 0);
                // There and back: neighbouring multiply-adds share an element of b, or one of a at the turn.
#pragma unroll
                for (int j = 0; j < TN; ++j)
#pragma unroll
                    for (int n = 0; n < TM; ++n) {
                        const int i = j % 2 ? TM - 1 - n : n;
                        sum[i][j] += a[k % 2][i] * b[k % 2][j];
                    }
            }
        }
    }

#if SPLIT > 1
    // Partial tiles in shared memory; each block of the cluster adds up its share of the tile, in the order of the parts.
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
#pragma unroll
    for (int i = 0; i < TM; ++i)
#pragma unroll
        for (int j = 0; j < TN; j += 4) {
            const int r = warp_row + i / 4 * LR * 4 + lane_row * 4 + i % 4, c = my_column + j * LC;
            *reinterpret_cast<float4*>(shared + r * BN + c) = make_float4(sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]);
        }
    cluster_arrive();
    cluster_wait();
    for (int e = (part * THREADS + t) * 4; e < BM * BN; e += SPLIT * THREADS * 4) {
        float4 v[SPLIT];
#pragma unroll
        for (int p = 0; p < SPLIT; ++p) {
            asm volatile("ld.shared::cluster.v4.f32 {%0, %1, %2, %3}, [%4];"
                         : "=f"(v[p].x), "=f"(v[p].y), "=f"(v[p].z), "=f"(v[p].w)
                         : "r"(in_block(shared_address(shared + e), p)));
        }
#pragma unroll
        for (int p = 1; p < SPLIT; ++p) v[0].x += v[p].x, v[0].y += v[p].y, v[0].z += v[p].z, v[0].w += v[p].w;
        const int row = row0 + e / BN, column = column0 + e % BN;
        if (row < M && column < N) {
            float* p = C + (long long)row * N + column;
            if (N % 4 == 0) *reinterpret_cast<float4*>(p) = v[0];
            else {
                p[0] = v[0].x;
                if (column + 1 < N) p[1] = v[0].y;
                if (column + 2 < N) p[2] = v[0].z;
                if (column + 3 < N) p[3] = v[0].w;
            }
        }
    }
    cluster_arrive();
    cluster_wait();
#else
#pragma unroll
    for (int i = 0; i < TM; ++i) {
        const int row = row0 + my_row + i / 4 * LR * 4 + i % 4;
        if (row >= M) continue;
#pragma unroll
        for (int j = 0; j < TN; ++j) {
            const int column = column0 + my_column + j / 4 * LC * 4 + j % 4;
            if (column < N) __stcs(C + (long long)row * N + column, sum[i][j]);
        }
    }
#endif
}
