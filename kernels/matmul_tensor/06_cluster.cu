// Clusters and TMA for the way out. Blocks of a cluster, CLUSTER_M x CLUSTER_N tiles, run at the same time on
// neighbouring multiprocessors: those in a row need the same A, those in a column the same B. Each loads a part and
// multicasts it to the others, so L2 is read once for all of them. A stage may be loaded again when the consumers of
// every block that gets a part of it have read theirs: they tell the empty mbarriers of those blocks.
// Sums go to shared memory with stmatrix, without bank conflicts, and from there through TMA: full lines of 128 bytes
// in place of 16-byte pieces, and no address arithmetic.
#include "../common/hopper_tile.cuh"
#ifndef CLUSTER_M
#define CLUSTER_M 2
#endif
#ifndef CLUSTER_N
#define CLUSTER_N 1
#endif
#define CONSUMERS 2
#define ROWS (TILE_M / CONSUMERS)

extern "C" __global__ void __launch_bounds__(384, 1)
    matmul_cluster(const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap b, const __grid_constant__ TensorMap c, int M, int N, int K) {
    const TensorMap &map_a = TENSOR_MAP(matmul_cluster, 0, a), &map_b = TENSOR_MAP(matmul_cluster, 1, b), &map_c = TENSOR_MAP(matmul_cluster, 2, c);
    extern __shared__ __align__(1024) unsigned char memory[];
    const unsigned stages = shared_address(memory), full = stages + STAGES * STAGE_BYTES, empty = full + STAGES * 8;
    const int group = __shfl_sync(0xffffffff, threadIdx.x / 128, 0), thread = threadIdx.x % 128, steps = (K + STEP - 1) / STEP;
    const int rank = cluster_rank(), rank_m = rank % CLUSTER_M, rank_n = rank / CLUSTER_M;
    const int tiles_m = (M + CLUSTER_M * TILE_M - 1) / (CLUSTER_M * TILE_M), tile = blockIdx.x / (CLUSTER_M * CLUSTER_N);
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
        registers_down_to<40>();
        if (thread == 0) {
            unsigned short sharers_a = 0, sharers_b = 0;  // bits of the blocks in my row, in my column
            for (int i = 0; i < CLUSTER_N; ++i) sharers_a |= 1 << (i * CLUSTER_M + rank_m);
            for (int i = 0; i < CLUSTER_M; ++i) sharers_b |= 1 << (rank_n * CLUSTER_M + i);
            for (int k = 0; k < steps; ++k, next()) {
                const unsigned to = stages + stage * STAGE_BYTES, barrier = full + stage * 8;
                barrier_wait(empty + stage * 8, phase ^ 1);
                barrier_expect(barrier, STAGE_BYTES);  // all of the stage, whoever loads it
                load_part<TILE_M, CLUSTER_N, A_ACROSS>(to, map_a, row, k * STEP, rank_n, barrier, sharers_a);
                load_part<TILE_N, CLUSTER_M, B_ACROSS>(to + A_BYTES, map_b, column, k * STEP, rank_m, barrier, sharers_b);
            }
            // Until all stages are free: the other blocks may still tell this one's barriers.
            for (int i = 0; i < STAGES; ++i, next()) barrier_wait(empty + stage * 8, phase ^ 1);
        }
    } else {
        registers_up_to<232>();
        const int consumer = group - 1;
        // Threads 0, 1, ... each tell one of the blocks in my row and column.
        const int other_m = thread - CLUSTER_N < rank_m ? thread - CLUSTER_N : thread - CLUSTER_N + 1;
        const bool tells = thread < CLUSTER_M + CLUSTER_N - 1;
        const unsigned there = in_block(empty, !tells ? rank : thread < CLUSTER_N ? thread * CLUSTER_M + rank_m : rank_n * CLUSTER_M + other_m);
        IN::Sum sums[ROWS / 64][TILE_N / 2];
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
        if (tells) barrier_arrive_cluster(there + before * 8);

        // Consumers have read all stages when both are here: results may lie there.
        named_barrier(1, 256);
        unsigned to = stages + consumer * (ROWS / 64) * (TILE_N / PANEL_COLUMNS) * PANEL_BYTES;
#pragma unroll
        for (int i = 0; i < ROWS / 64; ++i)
#pragma unroll
            for (int p = 0; p < TILE_N / PANEL_COLUMNS; ++p, to += PANEL_BYTES) {
                write_panel<OUT>(to, sums[i] + p * PANEL_COLUMNS / 2, thread);
                fence_async();
                named_barrier(2 + consumer, 128);
                if (thread == 0) store_tile(map_c, column + p * PANEL_COLUMNS, row + consumer * ROWS + i * 64, to);
            }
        if (thread == 0) {
            store_commit();
            store_wait_read<0>();
        }
    }
}
