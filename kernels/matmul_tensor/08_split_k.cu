// For products with too few tiles to fill the machine: SPLIT_K blocks of a cluster make one tile together, each from its
// part of K, and add their sums through each other's shared memory. Each block finishes TILE_N / SPLIT_K columns: it
// gives away its sums of the others' columns, reads theirs of its own. Sums go as they lie in the registers, so that all
// accesses are of whole lines. A larger tile reads less from L2 than the small tiles that would fill the machine too.
// Clusters are CLUSTER_M x CLUSTER_N tiles x SPLIT_K blocks; within a part of K tiles are multicast as before.
#include "../common/hopper_tile.cuh"
#ifndef CLUSTER_M
#define CLUSTER_M 2
#endif
#ifndef CLUSTER_N
#define CLUSTER_N 1
#endif
#ifndef SPLIT_K
#define SPLIT_K 2
#endif
#ifndef CONSUMERS
#define CONSUMERS 2
#endif
#define TILES (CLUSTER_M * CLUSTER_N)  // of a cluster
#define ROWS (TILE_M / CONSUMERS)

extern "C" __global__ void __launch_bounds__(128 * (CONSUMERS + 1), 1)
    matmul_split_k(const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap b, const __grid_constant__ TensorMap c, int M, int N, int K) {
    const TensorMap &map_a = TENSOR_MAP(matmul_split_k, 0, a), &map_b = TENSOR_MAP(matmul_split_k, 1, b), &map_c = TENSOR_MAP(matmul_split_k, 2, c);
    extern __shared__ __align__(1024) unsigned char memory[];
    const unsigned stages = shared_address(memory), full = stages + STAGES * STAGE_BYTES, empty = full + STAGES * 8, results = (empty + STAGES * 8 + 1023) / 1024 * 1024;
    const int group = __shfl_sync(0xffffffff, threadIdx.x / 128, 0), thread = threadIdx.x % 128;
    const int rank = cluster_rank(), rank_m = rank % CLUSTER_M, rank_n = rank / CLUSTER_M % CLUSTER_N, rank_k = rank / TILES;
    const int all_steps = (K + STEP - 1) / STEP, first_step = all_steps * rank_k / SPLIT_K, steps = all_steps * (rank_k + 1) / SPLIT_K - first_step;
    const int tiles_m = (M + CLUSTER_M * TILE_M - 1) / (CLUSTER_M * TILE_M), tile = blockIdx.x / (TILES * SPLIT_K);
    const int row = (tile % tiles_m * CLUSTER_M + rank_m) * TILE_M, column = (tile / tiles_m * CLUSTER_N + rank_n) * TILE_N;
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; ++s) {
            barrier_init(full + s * 8, 1);
            barrier_init(empty + s * 8, CONSUMERS * (CLUSTER_M + CLUSTER_N - 1));
        }
        barrier_init_done();
    }
    cluster_arrive_relaxed();
    cluster_wait();

    int stage = 0;
    unsigned phase = 0;
    auto next = [&] {
        if (++stage == STAGES) stage = 0, phase ^= 1;
    };
    if (group == 0) {
        if constexpr (CONSUMERS == 2) registers_down_to<40>();
        if (thread == 0) {
            unsigned short sharers_a = 0, sharers_b = 0;  // bits of the blocks in my row, in my column
            for (int i = 0; i < CLUSTER_N; ++i) sharers_a |= 1 << (rank_k * TILES + i * CLUSTER_M + rank_m);
            for (int i = 0; i < CLUSTER_M; ++i) sharers_b |= 1 << (rank_k * TILES + rank_n * CLUSTER_M + i);
#pragma unroll 1
            for (int k = 0; k < steps; ++k, next()) {
                const unsigned to = stages + stage * STAGE_BYTES, barrier = full + stage * 8;
                barrier_wait(empty + stage * 8, phase ^ 1);
                barrier_expect(barrier, STAGE_BYTES);  // all of the stage, whoever loads it
                load_part<TILE_M, CLUSTER_N, A_ACROSS>(to, map_a, row, (first_step + k) * STEP, rank_n, barrier, sharers_a);
                load_part<TILE_N, CLUSTER_M, B_ACROSS>(to + A_BYTES, map_b, column, (first_step + k) * STEP, rank_m, barrier, sharers_b);
            }
        }
    } else {
        if constexpr (CONSUMERS == 2) registers_up_to<232>();
        const int consumer = group - 1;
        // Threads 0, 1, ... each tell one of the blocks in my row and column.
        const int other_m = thread - CLUSTER_N < rank_m ? thread - CLUSTER_N : thread - CLUSTER_N + 1;
        const bool tells = thread < CLUSTER_M + CLUSTER_N - 1;
        const unsigned there = in_block(empty, !tells ? rank : rank_k * TILES + (thread < CLUSTER_N ? thread * CLUSTER_M + rank_m : rank_n * CLUSTER_M + other_m));
        IN::Sum sums[ROWS / 64][TILE_N / 2];
        if (steps == 0)
            for (auto& some : sums)
                for (auto& sum : some) sum = 0;
        int before = 0;
#pragma unroll 1
        for (int k = 0; k < steps; ++k, next()) {
            const unsigned at = stages + stage * STAGE_BYTES;
            barrier_wait(full + stage * 8, phase);
            multiply_stage(sums, at + consumer * ROWS * 128, at + A_BYTES, k == 0);
            if (k > 0) {
                wgmma_wait<1>();
                if (tells) barrier_arrive_cluster(there + before * 8);
            }
            before = stage;
        }
        wgmma_wait<0>();
        if (steps > 0 && tells) barrier_arrive_cluster(there + before * 8);

        // Nothing more is loaded once both consumers are here: the stages are free for sums, a word of each thread in turn.
        named_barrier(1, 128 * CONSUMERS);
        constexpr int part = TILE_N / 2 / SPLIT_K;  // sums of a thread that one block finishes
        const unsigned mine = stages + (consumer * 128 + thread) * 4;
        auto place = [](int r, int i, int j) { return ((r * (ROWS / 64) + i) * part + j) * CONSUMERS * 128 * 4; };
#pragma unroll
        for (int r = 0; r < SPLIT_K; ++r)
            if (r != rank_k)
#pragma unroll
                for (int i = 0; i < ROWS / 64; ++i)
#pragma unroll
                    for (int j = 0; j < part; ++j) store_shared(mine + place(r, i, j), sums[i][r * part + j]);
        cluster_arrive();
        cluster_wait();
#pragma unroll
        for (int own = 0; own < SPLIT_K; ++own)
            if (own == rank_k) {
#pragma unroll
                for (int other = 1; other < SPLIT_K; ++other) {
                    const unsigned theirs = in_block(mine, (rank_k + other) % SPLIT_K * TILES + rank_n * CLUSTER_M + rank_m);
#pragma unroll
                    for (int i = 0; i < ROWS / 64; ++i)
#pragma unroll
                        for (int j = 0; j < part; ++j) sums[i][own * part + j] += load_cluster(theirs + place(own, i, j), IN::Sum());
                }
#pragma unroll
                for (int i = 0; i < ROWS / 64; ++i)
#pragma unroll
                    for (int p = 0; p < part * 2 / PANEL_COLUMNS; ++p) {
                        const unsigned to = results + ((consumer * (ROWS / 64) + i) * (part * 2 / PANEL_COLUMNS) + p) * PANEL_BYTES;
                        write_panel<OUT>(to, sums[i] + own * part + p * PANEL_COLUMNS / 2, thread);
                        fence_async();
                        named_barrier(2 + consumer, 128);
                        if (thread == 0) store_tile(map_c, column + own * part * 2 + p * PANEL_COLUMNS, row + consumer * ROWS + i * 64, to);
                    }
            }
        if (thread == 0) {
            store_commit();
            store_wait_read<0>();
        }
    }
    if (group == 0) {
        cluster_arrive();
        cluster_wait();
    }
    cluster_arrive_relaxed();  // the others may still read this block's sums
    cluster_wait();
}
