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
    const unsigned stages = shared_address(memory);
    Ring ring(stages, stages + STAGES * STAGE_BYTES);
    const int group = __shfl_sync(0xffffffff, threadIdx.x / 128, 0), thread = threadIdx.x % 128, steps = (K + STEP - 1) / STEP;
    const Sharing<CLUSTER_M, CLUSTER_N> sharing(cluster_rank());
    const int tiles_m = (M + CLUSTER_M * TILE_M - 1) / (CLUSTER_M * TILE_M), tile = blockIdx.x / (CLUSTER_M * CLUSTER_N);
    const int row = (tile % tiles_m * CLUSTER_M + sharing.m) * TILE_M, column = (tile / tiles_m * CLUSTER_N + sharing.n) * TILE_N;
    if (threadIdx.x == 0) {
        ring.prepare(CONSUMERS * sharing.told);
        barrier_init_done();
    }
    cluster_arrive_relaxed();
    cluster_wait();

    if (group == 0) {
        registers_down_to<40>();
        if (thread == 0) {
            for (int k = 0; k < steps; ++k, ring.next()) sharing.load(ring, map_a, map_b, row, column, k * STEP);
            ring.drain();
        }
    } else {
        registers_up_to<232>();
        const int consumer = group - 1;
        const unsigned there = sharing.told_by(thread, ring.empty());
        const auto release = [&](int stage) { sharing.release(thread, there, stage); };
        IN::Sum sums[ROWS / 64][TILE_N / 2];
        const int last = multiply_stages(sums, ring, steps, consumer * ROWS, release);
        wgmma_wait<0>();
        release(last);

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
