// The persistent rung without its last, half-empty wave. 132 multiprocessors rarely divide the tiles: with 128 x 128 tiles
// at 4096 x 4096 the last of eight waves fills three quarters of the machine, at 8192 the last of 32 hardly any of it.
// Here only whole waves go tile by tile. What is left, between one and two waves, is cut along K ("stream-K"): all its
// steps, in the order of tiles, are dealt out evenly, so that a block begins in the middle of one tile and ends in the middle
// of another. Who has a tile's first step finishes the tile: the others leave their sums in `parts` (as they lie in
// the registers) and raise a flag; they did so before anything else of their share, so nobody waits long.
// Flags must be 0 before the first launch; each launch leaves them so. The parameters are in hopper_persistent.cuh.
#include "../common/hopper_persistent.cuh"

/// What a cluster does: items, one after the other. A whole tile each, then parts of the tiles that are left.
struct Items {
    int tiles, clusters, cluster, steps;  // of all; which cluster; steps of K in a tile
    int whole, rest;                      // tiles that are done whole by each cluster; tiles that are cut up by all
    int number, tile, first, count;       // the item: its number, its tile, its steps of K
    int at, end;                          // steps of the rest that are this cluster's

    __device__ __forceinline__ Items(int all, int many, int which, int of_tile) : tiles(all), clusters(many), cluster(which), steps(of_tile), number(-1) {
        whole = tiles % clusters == 0 ? tiles / clusters : tiles < clusters ? 0 : tiles / clusters - 1;
        rest = tiles - whole * clusters;
        at = begin(cluster);
        end = begin(cluster + 1);
    }
    __device__ __forceinline__ int begin(int c) const { return static_cast<int>(static_cast<long long>(rest) * steps * c / clusters); }
    __device__ __forceinline__ bool next() {
        if (++number < whole) {
            tile = number * clusters + cluster;
            first = 0;
            count = steps;
            return true;
        }
        if (at >= end) return false;
        const int of_rest = at / steps;
        first = at - of_rest * steps;
        count = end - at < steps - first ? end - at : steps - first;
        tile = whole * clusters + of_rest;
        at += count;
        return true;
    }
    /// Cluster `c`, after this one, reaches into the item's tile; it has a part of it unless its share is empty.
    __device__ __forceinline__ bool reaches(int c) const { return c < clusters && begin(c) < (tile - whole * clusters + 1) * steps; }
    __device__ __forceinline__ bool has_share(int c) const { return begin(c) < begin(c + 1); }
};

/// Sums of a warpgroup to and from `parts`: 16 bytes of each thread in turn, so that accesses are of whole lines.
template <class Sum>
static __device__ __forceinline__ void leave_sums(int4* parts, const Sum (&sums)[ROWS / 64][TILE_N / 2], int thread) {
#pragma unroll
    for (int i = 0; i < ROWS / 64; ++i)
#pragma unroll
        for (int j = 0; j < TILE_N / 2; j += 4) parts[(i * TILE_N / 8 + j / 4) * 128 + thread] = make_int4(bits(sums[i][j]), bits(sums[i][j + 1]), bits(sums[i][j + 2]), bits(sums[i][j + 3]));
}
template <class Sum>
static __device__ __forceinline__ void add_sums(const int4* parts, Sum (&sums)[ROWS / 64][TILE_N / 2], int thread) {
#pragma unroll
    for (int i = 0; i < ROWS / 64; ++i)
#pragma unroll
        for (int j = 0; j < TILE_N / 2; j += 4) {
            const int4 part = parts[(i * TILE_N / 8 + j / 4) * 128 + thread];
            add_bits(sums[i][j], part.x);
            add_bits(sums[i][j + 1], part.y);
            add_bits(sums[i][j + 2], part.z);
            add_bits(sums[i][j + 3], part.w);
        }
}

extern "C" __global__ void __launch_bounds__(THREADS, 1)
    matmul_stream_k(const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap b, const __grid_constant__ TensorMap c, int4* parts, unsigned* flags, int M, int N,
                    int K) {
    const TensorMap &map_a = TENSOR_MAP(matmul_stream_k, 0, a), &map_b = TENSOR_MAP(matmul_stream_k, 1, b), &map_c = TENSOR_MAP(matmul_stream_k, 2, c);
    extern __shared__ __align__(1024) unsigned char memory[];
    const unsigned stages = shared_address(memory), panels = stages + STAGES * STAGE_BYTES, barriers = panels + CONSUMERS * PANELS * PANEL_BYTES, order = barriers + STAGES * 16;
    const int group = __shfl_sync(0xffffffff, threadIdx.x / 128, 0), thread = threadIdx.x % 128, steps = (K + STEP - 1) / STEP;
    const Sharing<CLUSTER_M, CLUSTER_N> sharing(CLUSTER > 1 ? cluster_rank() : 0);
    const Tiles tiles(M, N);
    Ring ring(stages, barriers);
    if (threadIdx.x == 0) prepare(map_a, map_b, ring, order);
    prepared_arrive(group);
    prepared_wait(group);
    grid_launch_next();
    if (group == 0) {
        registers_of_producer();
        if (thread == 0) {
            grid_wait();
            Items items(tiles.count, gridDim.x / CLUSTER, blockIdx.x / CLUSTER, steps);
            while (items.next()) {
                int m, n;
                tiles.place(items.tile, m, n);
                const int row = (m * CLUSTER_M + sharing.m) * TILE_M, column = (n * CLUSTER_N + sharing.n) * TILE_N;
                for (int k = items.first; k < items.first + items.count; ++k, ring.next()) sharing.load(ring, map_a, map_b, row, column, k * STEP);
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
        Items items(tiles.count, gridDim.x / CLUSTER, blockIdx.x / CLUSTER, steps);
        while (items.next()) {
            if (PING_PONG && items.number % 2 != consumer) {  // the other's
                ring.skip(items.count);
                continue;
            }
            IN::Sum sums[ROWS / 64][TILE_N / 2];
            if (PING_PONG) {  // the other's multiplications first, then mine without a break
                barrier_wait(order + consumer * 8, turn);
                turn ^= 1;
            }
            const int last = multiply_stages(sums, ring, items.count, first_row, release);
            if (PING_PONG && thread == 0) barrier_arrive(order + (1 - consumer) * 8);
            wgmma_wait<0>();
            release(last);

            constexpr int sets = PING_PONG ? 1 : CONSUMERS;  // of sums, and flags, of a block
            const int set = blockIdx.x * sets + (PING_PONG ? 0 : consumer);
            if (items.first > 0) {  // another cluster finishes this tile
                leave_sums(parts + static_cast<long long>(set) * (ROWS * TILE_N / 4), sums, thread);
                fence_gpu();
                named_barrier(1 + consumer, 128);
                if (thread == 0) raise_flag(flags + set);
                continue;
            }
            if (items.count < steps)
                for (int h = 1; items.reaches(items.cluster + h); ++h) {
                    if (!items.has_share(items.cluster + h)) continue;
                    const int theirs = set + h * CLUSTER * sets;
                    if (thread == 0) wait_flag(flags + theirs);
                    named_barrier(1 + consumer, 128);
                    add_sums(parts + static_cast<long long>(theirs) * (ROWS * TILE_N / 4), sums, thread);
                    named_barrier(1 + consumer, 128);
                    if (thread == 0) flags[theirs] = 0;
                }

            int m, n;
            tiles.place(items.tile, m, n);
            const int row = (m * CLUSTER_M + sharing.m) * TILE_M + first_row, column = (n * CLUSTER_N + sharing.n) * TILE_N;
            store_tile_of(consumer, sums, map_c, row, column, panels + consumer * PANELS * PANEL_BYTES, panel, thread);
        }
        if (thread == 0) store_wait_read<0>();
    }
}
