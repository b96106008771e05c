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
//   - PARTS 1: the blocks that share a tile are no cluster; they leave their sums in `parts`, and a second launch
//     (matmul_add_parts) adds them in their order. So many of them that all blocks together fill the multiprocessors evenly, which
//     clusters of 5, 6 or 7 do not. With EDGES the last few rows or columns are blocks of their own, behind the tiles'.
//   - THROUGH 1: A is turned on its way through registers, by loads of 16 bytes instead of copies of 4.
// Parameters, copies and multiply-adds are in register_tiles.cuh, since the next rung has them too.
#include "../common/hopper.cuh"

using namespace hopper;

#ifndef SPLIT
#define SPLIT 1
#endif
#ifndef PARTS
#define PARTS 0
#endif
#include "../common/register_tiles.cuh"
#if PARTS
#include "../common/tile_parts.cuh"
#endif

#if TMA
extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
    matmul_warp_tiles(const __grid_constant__ TensorMap map_a, const __grid_constant__ TensorMap map_b, const float* __restrict__ A,
                      const float* __restrict__ B, float* __restrict__ C, int M, int N, int K) {
    [[maybe_unused]] const TensorMap &tensor_a = TENSOR_MAP(matmul_warp_tiles, 0, map_a), &tensor_b = TENSOR_MAP(matmul_warp_tiles, 1, map_b);
#else
extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
    matmul_warp_tiles(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C,
#if PARTS
                      float* parts, int split,
#endif
                      int M, int N, int K) {
#endif
    extern __shared__ __align__(128) float shared[];
    // The order below is meant: at its highest level the assembler gathers the reads of shared memory into bursts and puts
    // two operands of every tenth multiply-add into one bank; at this level it keeps the order (measured +4 %).
    asm volatile("// ptxas: -O1");
    if (M == 0 || N == 0) return;
    const int t = threadIdx.x;
    int row0, column0;
    const int all_steps = (K + BK - 1) / BK;
#if PARTS
    grid_launch_next();  // matmul_add_parts, which waits
#endif
#if EDGES
    if (const int tiles = tile_rows(M) * tile_columns(N) * split; static_cast<int>(blockIdx.x) >= tiles)
        return multiply_edges(A, B, parts + (long long)tiles * (BM * BN), shared, blockIdx.x - tiles, gridDim.x - tiles, M, N, K, split);
#endif
#if !PARTS
    constexpr int split = SPLIT;
#endif
    place(blockIdx.x / split, M, N, row0, column0);
    const int part = blockIdx.x % split, first = all_steps * part / split, steps = all_steps * (part + 1) / split - first;
    const unsigned base = shared_address(shared), full = base + STAGES * STAGE_FLOATS * 4;  // mbarriers behind the stages
    (void)full;
#if TMA
    if (t == 0) {
        for (int s = 0; s < STAGES; ++s) barrier_init(full + s * 8, 1);
        barrier_init_done();
    }
    __syncthreads();
#endif
#if THROUGH
    Through<BM, A_STRIDE> turn_a(A, M, K, row0, first * BK, base, t);
#elif !TMA_A
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
#if THROUGH
            turn_a.template load<false>(left);
#elif !TMA_A
            copy_a.template fetch<false>(stage, left);
#endif
#if !TMA_B
            copy_b.template fetch<false>(stage, left);
#endif
        } else {
#if THROUGH
            turn_a.template load<true>(left);
#elif !TMA_A
            copy_a.template fetch<true>(stage, left);
#endif
#if !TMA_B
            copy_b.template fetch<true>(stage, left);
#endif
        }
#endif
    };

    auto put = [&](int slot) {
        (void)slot;
#if THROUGH
        turn_a.store(slot * (STAGE_FLOATS * 4));
#endif
    };
    auto arrived = [&](int slot, unsigned phase, bool more) {
        wait_copies();
#if TMA
        if (more) barrier_wait(full + slot * 8, phase);
#endif
    };
    const Thread my(t);
    float sum[TM][TN] = {};
    multiply_steps(sum, shared, my, row0 + my.warp_row >= M || column0 + my.warp_column >= N, steps, fetch, put, arrived);

#if PARTS
    leave_sums(sum, parts, blockIdx.x);
#elif SPLIT > 1
    // Partial tiles in shared memory; each block of the cluster adds up its share of the tile, in the order of the parts. Sums are stored one by
    // one (see store_sums); so that lanes whose rows are four apart meet different banks, each four neighbours lie turned by their row's number.
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
#pragma unroll
    for (int i = 0; i < TM; ++i)
#pragma unroll
        for (int j = 0; j < TN; ++j) {
            const int r = my.row + i / 4 * LR * 4 + i % 4, c = my.column + j / 4 * LC * 4 + j % 4;
            shared[r * BN + (c ^ (r / 4 % 4))] = sum[i][j];
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
        const int turned = e / BN / 4 % 4;
        float4 u = turned & 1 ? make_float4(v[0].y, v[0].x, v[0].w, v[0].z) : v[0];
        if (turned & 2) u = make_float4(u.z, u.w, u.x, u.y);
        const int row = row0 + e / BN, column = column0 + e % BN;
        if (row < M && column < N) {
            float* p = C + (long long)row * N + column;
            if (N % 4 == 0) *reinterpret_cast<float4*>(p) = u;
            else {
                p[0] = u.x;
                if (column + 1 < N) p[1] = u.y;
                if (column + 2 < N) p[2] = u.z;
                if (column + 3 < N) p[3] = u.w;
            }
        }
    }
    cluster_arrive();
    cluster_wait();
#else
    store_sums(sum, C, my, row0, column0, M, N);
#endif
}

#if PARTS
extern "C" __global__ void __launch_bounds__(256) matmul_add_parts(const float* parts, float* C, int split, int M, int N) {
    grid_wait();
    add_parts(parts, C, M, N, split, (long long)blockIdx.x * 256 + threadIdx.x);
}
#endif
