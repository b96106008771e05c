// For products with too few tiles to fill the machine: SPLIT_K blocks of a cluster make one tile together, each from its
// part of K. Each finishes TILE_N / SPLIT_K columns: it sends its sums of the others' columns straight into their shared
// memory (a bulk copy that counts its bytes at their mbarrier, so nobody waits for a whole cluster), and adds what they send.
// A tile twice as large reads a third less than the small tiles that would fill the machine too.
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
#define PART (TILE_N / 2 / SPLIT_K)                  // sums of a thread in the columns that one block finishes
#define PART_BYTES (ROWS / 64 * PART * 128 * 4)       // of a warpgroup
#define EXCHANGE (CONSUMERS * (SPLIT_K - 1) * PART_BYTES)
#define MANY_SUMS (ROWS * TILE_N / 128 > 64)

extern "C" __global__ void __launch_bounds__(128 * (CONSUMERS + 1), 1)
    matmul_split_k(const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap b, const __grid_constant__ TensorMap c, int M, int N, int K) {
    const TensorMap &map_a = TENSOR_MAP(matmul_split_k, 0, a), &map_b = TENSOR_MAP(matmul_split_k, 1, b), &map_c = TENSOR_MAP(matmul_split_k, 2, c);
    extern __shared__ __align__(1024) unsigned char memory[];
    const unsigned stages = shared_address(memory), outgoing = stages + STAGES * STAGE_BYTES, incoming = outgoing + EXCHANGE;
    const unsigned barriers = incoming + EXCHANGE, arrived = barriers + STAGES * 16;
    Ring ring(stages, barriers);
    const int group = __shfl_sync(0xffffffff, threadIdx.x / 128, 0), thread = threadIdx.x % 128;
    const int rank_k = cluster_rank() / TILES;
    const Sharing<CLUSTER_M, CLUSTER_N> sharing(cluster_rank() % TILES, rank_k * TILES);
    const int all_steps = (K + STEP - 1) / STEP, share = all_steps * (rank_k + 1) / SPLIT_K - all_steps * rank_k / SPLIT_K;
    const int first_step = share > 0 ? all_steps * rank_k / SPLIT_K : all_steps, steps = share > 0 ? share : 1;  // past the end TMA reads zeros
    const int tiles_m = (M + CLUSTER_M * TILE_M - 1) / (CLUSTER_M * TILE_M), tile = blockIdx.x / (TILES * SPLIT_K);
    const int row = (tile % tiles_m * CLUSTER_M + sharing.m) * TILE_M, column = (tile / tiles_m * CLUSTER_N + sharing.n) * TILE_N;
    if (threadIdx.x == 0) {
        prefetch_map(map_a);
        prefetch_map(map_b);
        ring.prepare(CONSUMERS * sharing.told);
        for (int i = 0; i < CONSUMERS; ++i) {
            barrier_init(arrived + i * 8, 1);
            barrier_expect(arrived + i * 8, (SPLIT_K - 1) * PART_BYTES);
        }
        barrier_init_done();
    }
    __syncwarp();
    cluster_arrive_relaxed();
    if (TILES > 1 || group > 0) cluster_wait();  // a producer that loads for its own block only need not wait for others
    grid_launch_next();

    if (group == 0) {
        if constexpr (MANY_SUMS && CONSUMERS == 2) registers_down_to<40>();
        if (thread == 0) {
            grid_wait();
            for (int k = 0; k < steps; ++k, ring.next()) sharing.load(ring, map_a, map_b, row, column, (first_step + k) * STEP);
            if (TILES > 1) ring.drain();
        }
        __syncwarp();
        if (TILES == 1) cluster_wait();
        cluster_arrive_relaxed();
    } else {
        if constexpr (MANY_SUMS && CONSUMERS == 2) registers_up_to<232>();
        const int consumer = group - 1;
        const unsigned there = sharing.told_by(thread, ring.empty());
        const auto release = [&](int stage) { sharing.release(thread, there, stage); };
        IN::Sum sums[ROWS / 64][TILE_N / 2];
        const int last = multiply_stages(sums, ring, steps, consumer * ROWS, release);
        wgmma_wait<0>();
        release(last);

        // Part r of the sums to block r, where it is number `from` of those that come.
        const unsigned mine = consumer * (SPLIT_K - 1) * PART_BYTES + thread * 16;
#pragma unroll
        for (int r = 0; r < SPLIT_K; ++r)
            if (r != rank_k)
#pragma unroll
                for (int i = 0; i < ROWS / 64; ++i)
#pragma unroll
                    for (int j = 0; j < PART; j += 4) {
                        const auto* sum = sums[i] + r * PART + j;
                        store_shared(outgoing + mine + ((r - rank_k + SPLIT_K) % SPLIT_K - 1) * PART_BYTES + (i * PART + j) * 128 * 4, bits(sum[0]), bits(sum[1]), bits(sum[2]), bits(sum[3]));
                    }
        fence_async();
        named_barrier(2 + consumer, 128);
        if (thread == 0)
            for (int other = 1; other < SPLIT_K; ++other) {
                const unsigned block = (rank_k + other) % SPLIT_K * TILES + sharing.n * CLUSTER_M + sharing.m, from = SPLIT_K - other - 1;
                copy_to_block(in_block(incoming + mine + from * PART_BYTES, block), outgoing + mine + (other - 1) * PART_BYTES, PART_BYTES, in_block(arrived + consumer * 8, block));
            }
        barrier_wait(arrived + consumer * 8, 0);
#pragma unroll
        for (int own = 0; own < SPLIT_K; ++own)
            if (own == rank_k) {
#pragma unroll
                for (int from = 0; from < SPLIT_K - 1; ++from)
#pragma unroll
                    for (int i = 0; i < ROWS / 64; ++i)
#pragma unroll
                        for (int j = 0; j < PART; j += 4) {
                            int part[4];
                            load_shared(incoming + mine + from * PART_BYTES + (i * PART + j) * 128 * 4, part);
#pragma unroll
                            for (int e = 0; e < 4; ++e) add_bits(sums[i][own * PART + j + e], part[e]);
                        }
                named_barrier(2 + consumer, 128);  // all have read: results may lie there
                cluster_arrive_relaxed();
                constexpr int across = PART * 2 / PANEL_COLUMNS;
                const unsigned results = incoming + mine - thread * 16;
#pragma unroll
                for (int p = 0; p < ROWS / 64 * across; ++p) write_panel<OUT>(results + p * PANEL_BYTES, sums[p / across] + own * PART + p % across * PANEL_COLUMNS / 2, thread);
                fence_async();
                named_barrier(2 + consumer, 128);
                if (thread == 0)
                    for (int p = 0; p < ROWS / 64 * across; ++p)
                        store_tile(map_c, column + own * PART * 2 + p % across * PANEL_COLUMNS, row + consumer * ROWS + p / across * 64, results + p * PANEL_BYTES);
            }
        if (thread == 0) {
            store_commit();
            store_wait_read<0>();
        }
    }
    cluster_wait();  // what this block sends has arrived
}
