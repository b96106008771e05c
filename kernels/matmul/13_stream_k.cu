// No idle multiprocessor at the end. Tiles rarely come out even: 2304 tiles of 64 x 128 on 528 places are 4.4 waves, of which
// the last one leaves half of the machine idle, and a product with a long K and few tiles never fills it. Here only whole waves go tile by
// tile. What is left is cut along K: all its steps, in the order of tiles, are dealt out evenly, so that a block's share
// begins in the middle of one tile and ends in the middle of another ("stream-K"). A block goes through its share from behind: the tile it
// does not finish comes first, and its sums go to `parts` (as they lie in registers) under a flag; who has a tile's last step adds the
// parts of the blocks before it, in a fixed order, and stores. It waits for blocks of lower number only, which began before it, and
// which did that part first: so nobody waits long, and a launch ends even where not all blocks fit at once.
// Smaller tiles than the rung before's (8 x 8 sums a thread, four blocks on a multiprocessor) because they hide each other's
// copies and barriers. Flags must be 0 before the first launch; each launch leaves them so.
#include "../common/hopper.cuh"

using namespace hopper;

#define TMA 0
#include "../common/register_tiles.cuh"

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
    matmul_stream_k(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, float4* parts, unsigned* flags, int M, int N, int K) {
    extern __shared__ __align__(128) float shared[];
    asm volatile("// ptxas: -O1");  // as in the rung before
    if (M == 0 || N == 0) return;
    const int t = threadIdx.x, blocks = gridDim.x, block = blockIdx.x;
    const int steps = max(1, (K + BK - 1) / BK), tiles = (M + BM - 1) / BM * ((N + BN - 1) / BN);
    const int whole = tiles % blocks == 0 ? tiles / blocks : tiles < blocks ? 0 : tiles / blocks - 1;  // waves of whole tiles
    const int rest = tiles - whole * blocks;                                                          // tiles that are cut
    const auto begin = [&](int b) { return static_cast<int>(static_cast<long long>(rest) * steps * b / blocks); };
    const int from = begin(block);
    int until = begin(block + 1);  // of this block's share of the rest
    const Thread my;
    begin_launch();
    for (int wave = 0; wave < whole || until > from; ++wave) {
        int tile = wave * blocks + block, first = 0, count = steps;
        if (wave >= whole) {
            const int of_rest = (until - 1) / steps;
            first = max(from - of_rest * steps, 0);
            count = until - of_rest * steps - first;
            tile = whole * blocks + of_rest;
            until -= count;
        }
        int row0, column0;
        place(tile, M, N, row0, column0);
        if (wave > 0) __syncthreads();  // all have read the last stage of the tile before
        Operand<BM, A_STRIDE, !TRANS_A> copy_a(A, M, K, row0, first * BK, shared_address(shared), t);
        Operand<BN, B_STRIDE, TRANS_B> copy_b(B, N, K, column0, first * BK, shared_address(shared) + A_FLOATS * 4, t);
        float sum[TM][TN] = {};
        multiply_steps(sum, shared, my, row0 + my.warp_row >= M || column0 + my.warp_column >= N, count,
            [&](int slot, int step) {
                const unsigned stage = slot * (STAGE_FLOATS * 4);
                const int left = K - (first + step) * BK;
                if (left >= BK) {
                    copy_a.template fetch<false>(stage, left);
                    copy_b.template fetch<false>(stage, left);
                } else {
                    copy_a.template fetch<true>(stage, left);
                    copy_b.template fetch<true>(stage, left);
                }
            },
            [](int, unsigned, bool) { wait_copies(); });

        if (first + count < steps) {  // a later block finishes this tile
            float4* to = parts + static_cast<long long>(block) * (BM * BN / 4) + t;
#pragma unroll
            for (int i = 0; i < TM; ++i)
#pragma unroll
                for (int j = 0; j < TN; j += 4) to[(i * TN + j) / 4 * THREADS] = make_float4(sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]);
            fence_gpu();
            __syncthreads();
            if (t == 0) raise_flag(flags + block);
            continue;
        }
        // The blocks before this one that have a part of the tile, from the nearest to that with its first step.
        const int tile_begin = (tile - whole * blocks) * steps;
        for (int b = block - 1; first > 0 && b >= 0 && begin(b + 1) > tile_begin; --b) {
            if (begin(b) == begin(b + 1)) continue;  // more blocks than steps: this one has none
            if (t == 0) wait_flag(flags + b);
            __syncthreads();
            const float4* part = parts + static_cast<long long>(b) * (BM * BN / 4) + t;
#pragma unroll
            for (int i = 0; i < TM; ++i)
#pragma unroll
                for (int j = 0; j < TN; j += 4) {
                    const float4 more = part[(i * TN + j) / 4 * THREADS];
                    sum[i][j] += more.x, sum[i][j + 1] += more.y, sum[i][j + 2] += more.z, sum[i][j + 3] += more.w;
                }
            if (t == 0) flags[b] = 0;
        }
        store_sums(sum, C, my, row0, column0, M, N);
    }
}
