// What the persistent matmul rungs share: the parameters, the order of the tiles, the setting up, a tile's way out.
//   TILE_M x TILE_N   a tile. All consumers share it, TILE_M / CONSUMERS rows each; with PING_PONG each has its own.
//   CLUSTER_M x _N    blocks that load together: blocks in a row share A, in a column B; each loads a part and
//                     multicasts it, so that L2 is read once
//   GROUP             rows of cluster tiles that are walked together, there and back, so that what runs at one time
//                     is about square and its parts of A and B stay in L2
//   STAGES, PANELS    stages of TILE x 128 bytes; buffers of 64 x 128 bytes for results, for each consumer
// A is M x K, or K x M where A_ACROSS; B is N x K, or K x N where B_ACROSS (16-bit types only); C is M x N.
// Tiles past the edges: TMA reads zeros there and does not write.
#pragma once

#include "hopper_tile.cuh"

#ifndef CONSUMERS
#define CONSUMERS 2
#endif
#ifndef PING_PONG
#define PING_PONG 0
#endif
#ifndef CLUSTER_M
#define CLUSTER_M 2
#endif
#ifndef CLUSTER_N
#define CLUSTER_N 1
#endif
#ifndef GROUP
#define GROUP 8
#endif
#ifndef PANELS
#define PANELS 2
#endif
#define THREADS (128 * (CONSUMERS + 1))
#define ROWS (PING_PONG ? TILE_M : TILE_M / CONSUMERS)  // of a consumer
#define MANY_SUMS (ROWS * TILE_N / 128 > 64)            // of a thread, so that consumers need the producer's registers
#define ACROSS (TILE_N / PANEL_COLUMNS)
#define ALL_PANELS (ROWS / 64 * ACROSS)                 // of a consumer's tile
#define CLUSTER (CLUSTER_M * CLUSTER_N)
static_assert(PANELS <= ALL_PANELS, "more buffers for results than a tile has panels");

/// The tiles of clusters that cover C, and which of them is number t.
struct Tiles {
    int across_m, across_n, count;

    __device__ __forceinline__ Tiles(int M, int N)
        : across_m((M + CLUSTER_M * TILE_M - 1) / (CLUSTER_M * TILE_M)), across_n((N + CLUSTER_N * TILE_N - 1) / (CLUSTER_N * TILE_N)), count(across_m * across_n) {}
    __device__ __forceinline__ void place(int t, int& m, int& n) const {
        const int group = across_m <= GROUP ? 0 : quick_divide(t, GROUP * across_n), first = group * GROUP, in = t - first * across_n;
        const int rows = across_m - first < GROUP ? across_m - first : GROUP;
        n = quick_divide(in, rows);
        m = first + in - n * rows;
        if (group % 2) n = across_n - 1 - n;
    }
};

/// By the first thread: maps on their way, barriers ready. `order`: whose turn it is with PING_PONG.
static __device__ __forceinline__ void prepare(const TensorMap& a, const TensorMap& b, const Ring& ring, unsigned order) {
    prefetch_map(a);
    prefetch_map(b);
    ring.prepare((PING_PONG ? 1 : CONSUMERS) * (CLUSTER_M + CLUSTER_N - 1));
    for (int i = 0; i < 2; ++i) barrier_init(order + i * 8, 1);
    barrier_init_done();
}
// Consumers wait for the barriers; the producer's warp, which has prepared them, only for other blocks that load for this one.
static __device__ __forceinline__ void prepared_arrive(int group) {
    __syncwarp();
    if constexpr (CLUSTER > 1) cluster_arrive_relaxed();
    else if (group == 0) named_arrive(15, THREADS);
}
static __device__ __forceinline__ void prepared_wait(int group) {
    if constexpr (CLUSTER > 1) cluster_wait();
    else if (group > 0) named_barrier(15, THREADS);
}
static __device__ __forceinline__ void registers_of_producer() {
    if constexpr (MANY_SUMS && CONSUMERS == 2) registers_down_to<40>();
    if constexpr (MANY_SUMS && CONSUMERS == 3) registers_down_to<32>();
}
static __device__ __forceinline__ void registers_of_consumer() {
    if constexpr (MANY_SUMS && CONSUMERS == 2) registers_up_to<232>();
    if constexpr (MANY_SUMS && CONSUMERS == 3) registers_up_to<160>();
}

/// A consumer's sums to C, through its PANELS buffers in turn: one may be written again when its last store has read it.
static __device__ __forceinline__ void store_tile_of(int consumer, const IN::Sum (&sums)[ROWS / 64][TILE_N / 2], const TensorMap& c, int row, int column, unsigned panels, int& panel, int thread) {
#pragma unroll
    for (int p = 0; p < ALL_PANELS; ++p) {
        const unsigned to = panels + panel * PANEL_BYTES;
        if (PANELS < ALL_PANELS || p == 0) {
            if (thread == 0) store_wait_read<PANELS < ALL_PANELS ? PANELS - 1 : 0>();
            named_barrier(1 + consumer, 128);
        }
        write_panel<OUT>(to, sums[p / ACROSS] + p % ACROSS * PANEL_COLUMNS / 2, thread);
        if (++panel == PANELS) panel = 0;
        if (PANELS < ALL_PANELS || p == ALL_PANELS - 1) {
            fence_async();
            named_barrier(1 + consumer, 128);
            if (thread == 0) {
                for (int q = PANELS < ALL_PANELS ? p : 0; q <= p; ++q)
                    store_tile(c, column + q % ACROSS * PANEL_COLUMNS, row + q / ACROSS * 64, to - (p - q) * PANEL_BYTES KEEP_C);
                store_commit();
            }
        }
    }
}
