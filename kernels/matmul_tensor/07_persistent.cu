// Everything together: as many blocks as the GPU has multiprocessors, each making tile after tile of C. One warp loads
// through TMA into a ring of stages and never stops at a tile's end; consumer warpgroups multiply with wgmma and write
// finished tiles through shared memory with TMA while the next tile is loaded (or, with PING_PONG, multiplied).
// The parameters and what the next rung but one shares with this one are in hopper_persistent.cuh.
#include "../common/hopper_persistent.cuh"

extern "C" __global__ void __launch_bounds__(THREADS, 1)
    matmul_persistent(const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap b, const __grid_constant__ TensorMap c, int M, int N, int K) {
    const TensorMap &map_a = TENSOR_MAP(matmul_persistent, 0, a), &map_b = TENSOR_MAP(matmul_persistent, 1, b), &map_c = TENSOR_MAP(matmul_persistent, 2, c);
    extern __shared__ __align__(1024) unsigned char memory[];
    const unsigned stages = shared_address(memory), panels = stages + STAGES * STAGE_BYTES, barriers = panels + CONSUMERS * PANELS * PANEL_BYTES, order = barriers + STAGES * 16;
    const int group = __shfl_sync(0xffffffff, threadIdx.x / 128, 0), thread = threadIdx.x % 128;
    const int cluster = blockIdx.x / CLUSTER, clusters = gridDim.x / CLUSTER, steps = (K + STEP - 1) / STEP;
    const Sharing<CLUSTER_M, CLUSTER_N> sharing(CLUSTER > 1 ? cluster_rank() : 0);
    const Tiles tiles(M, N);
    Ring ring(stages, barriers);
    if (threadIdx.x == 0) prepare(map_a, map_b, ring, order);
    prepared_arrive(group);
    int m, n;
    tiles.place(cluster, m, n);  // the first tile, while the others arrive
    prepared_wait(group);
    grid_launch_next();
    if (group == 0) {
        registers_of_producer();
        if (thread == 0) {
            grid_wait();
            for (int t = cluster; t < tiles.count; t += clusters) {
                if (t >= clusters) tiles.place(t, m, n);
                const int row = (m * CLUSTER_M + sharing.m) * TILE_M, column = (n * CLUSTER_N + sharing.n) * TILE_N;
                for (int k = 0; k < steps; ++k, ring.next()) sharing.load(ring, map_a, map_b, row, column, k * STEP);
            }
            ring.drain();
        }
    } else {
        registers_of_consumer();
        const int consumer = group - 1, first_row = PING_PONG ? 0 : consumer * ROWS;
        const unsigned there = sharing.told_by(thread, ring.empty());
        const auto release = [&](int stage) { sharing.release(thread, there, stage); };
        unsigned turn = consumer == 0;
        int panel = 0;
        if (PING_PONG) ring.skip(consumer * steps);
        for (int t = cluster + (PING_PONG ? consumer * clusters : 0); t < tiles.count; t += PING_PONG ? CONSUMERS * clusters : clusters) {
            IN::Sum sums[ROWS / 64][TILE_N / 2];
            if (PING_PONG) {  // the other's multiplications first, then mine without a break
                barrier_wait(order + consumer * 8, turn);
                turn ^= 1;
            }
            const int last = multiply_stages(sums, ring, steps, first_row, release);
            if (PING_PONG) {
                if (thread == 0) barrier_arrive(order + (1 - consumer) * 8);
                ring.skip(steps);
            }
            wgmma_wait<0>();
            release(last);

            if (t >= clusters) tiles.place(t, m, n);
            const int row = (m * CLUSTER_M + sharing.m) * TILE_M + first_row, column = (n * CLUSTER_N + sharing.n) * TILE_N;
            store_tile_of(consumer, sums, map_c, row, column, panels + consumer * PANELS * PANEL_BYTES, panel, thread);
        }
        if (thread == 0) store_wait_read<0>();
    }
}
