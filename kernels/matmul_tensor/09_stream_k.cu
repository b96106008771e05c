// The persistent rung without its last, half-empty wave. 132 multiprocessors rarely divide the tiles: with 128 x 128 tiles
// at 4096 x 4096 the last of eight waves fills three quarters of the machine, at 8192 the last of 32 hardly any of it.
// Here only whole waves go tile by tile. What is left, between one and two waves, is cut along K ("stream-K"): all its
// steps, in the order of tiles, are dealt out evenly, so that a block begins in the middle of one tile and ends in the middle
// of another. Who has a tile's first step finishes the tile: the others leave their sums in `parts` (as they lie in
// the registers) and raise a flag; they did so before anything else of their share, so nobody waits long.
// Flags must be 0 before the first launch; each launch leaves them so. TILE_M ... PANELS as in 07_persistent.cu.
#include "../common/hopper_tile.cuh"

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
#ifndef BACK_AND_FORTH
#define BACK_AND_FORTH 0
#endif
#ifdef KEEP  // A, which the tiles of a group use again and again, stays in L2 at the cost of B and C
#define KEEP_A , kKeepLong
#define KEEP_B , kKeepLittle
#define KEEP_C , kKeepLittle
#else
#define KEEP_A
#define KEEP_B
#define KEEP_C
#endif
#define THREADS (128 * (CONSUMERS + 1))
#define ROWS (PING_PONG ? TILE_M : TILE_M / CONSUMERS)  // of a consumer
#define MANY_SUMS (ROWS * TILE_N / 128 > 64)            // of a thread, so that consumers need the producer's registers
#define ACROSS (TILE_N / PANEL_COLUMNS)
#define ALL_PANELS (ROWS / 64 * ACROSS)                 // of a consumer's tile
#define CLUSTER (CLUSTER_M * CLUSTER_N)

/// Which tile of clusters is number t.
static __device__ __forceinline__ void place(int t, int tiles_m, int tiles_n, int& m, int& n) {
    const int group = tiles_m <= GROUP ? 0 : quick_divide(t, GROUP * tiles_n), first = group * GROUP, in = t - first * tiles_n;
    const int rows = tiles_m - first < GROUP ? tiles_m - first : GROUP;
    n = quick_divide(in, rows);
    m = first + in - n * rows;
    if (group % 2) n = tiles_n - 1 - n;
}

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
    static_assert(PANELS <= ALL_PANELS, "more buffers for results than a tile has panels");
    const TensorMap &map_a = TENSOR_MAP(matmul_stream_k, 0, a), &map_b = TENSOR_MAP(matmul_stream_k, 1, b), &map_c = TENSOR_MAP(matmul_stream_k, 2, c);
    extern __shared__ __align__(1024) unsigned char memory[];
    const unsigned stages = shared_address(memory), panels = stages + STAGES * STAGE_BYTES;
    const unsigned full = panels + CONSUMERS * PANELS * PANEL_BYTES, empty = full + STAGES * 8, order = empty + STAGES * 8;
    const int group = __shfl_sync(0xffffffff, threadIdx.x / 128, 0), thread = threadIdx.x % 128;
    const int rank = CLUSTER > 1 ? cluster_rank() : 0, rank_m = rank % CLUSTER_M, rank_n = rank / CLUSTER_M;
    const int tiles_m = (M + CLUSTER_M * TILE_M - 1) / (CLUSTER_M * TILE_M), tiles_n = (N + CLUSTER_N * TILE_N - 1) / (CLUSTER_N * TILE_N);
    const int tiles = tiles_m * tiles_n, clusters = gridDim.x / CLUSTER, steps = (K + STEP - 1) / STEP;

    if (threadIdx.x == 0) {
        prefetch_map(map_a);
        prefetch_map(map_b);
#pragma unroll
        for (int s = 0; s < STAGES; ++s) {
            barrier_init(full + s * 8, 1);
            barrier_init(empty + s * 8, (PING_PONG ? 1 : CONSUMERS) * (CLUSTER_M + CLUSTER_N - 1));
        }
        for (int i = 0; i < 2; ++i) barrier_init(order + i * 8, 1);
        barrier_init_done();
    }
    __syncwarp();
    // Consumers wait for the barriers; the producer's warp, which has prepared them, only for other blocks that load for this one.
    if constexpr (CLUSTER > 1) cluster_arrive_relaxed();
    else if (group == 0) named_arrive(15, THREADS);

    Items items(tiles, clusters, blockIdx.x / CLUSTER, steps);
    int stage = 0, m, n;
    unsigned phase = 0;
    if constexpr (CLUSTER > 1) cluster_wait();
    else if (group > 0) named_barrier(15, THREADS);
    grid_launch_next();
    if (group == 0) {
        if constexpr (MANY_SUMS && CONSUMERS == 2) registers_down_to<40>();
        if constexpr (MANY_SUMS && CONSUMERS == 3) registers_down_to<32>();
        if (thread == 0) {
            grid_wait();
            unsigned short sharers_a = 0, sharers_b = 0;  // those in my row, those in my column
            for (int i = 0; i < CLUSTER_N; ++i) sharers_a |= 1 << (i * CLUSTER_M + rank_m);
            for (int i = 0; i < CLUSTER_M; ++i) sharers_b |= 1 << (rank_n * CLUSTER_M + i);
            while (items.next()) {
                place(items.tile, tiles_m, tiles_n, m, n);
                const int row = (m * CLUSTER_M + rank_m) * TILE_M, column = (n * CLUSTER_N + rank_n) * TILE_N;
                const bool back = BACK_AND_FORTH && items.number < items.whole && items.number % 2;
                for (int k = items.first; k < items.first + items.count; ++k) {
                    const unsigned to = stages + stage * STAGE_BYTES, barrier = full + stage * 8;
                    barrier_wait(empty + stage * 8, phase ^ 1);
                    const int from = (back ? steps - 1 - k : k) * STEP;
                    barrier_expect(barrier, STAGE_BYTES);
                    load_part<TILE_M, CLUSTER_N, A_ACROSS>(to, map_a, row, from, rank_n, barrier, sharers_a KEEP_A);
                    load_part<TILE_N, CLUSTER_M, B_ACROSS>(to + A_BYTES, map_b, column, from, rank_m, barrier, sharers_b KEEP_B);
                    if (++stage == STAGES) stage = 0, phase ^= 1;
                }
            }
            // Until all stages are free: the other blocks of the cluster may still tell this one's barriers.
            for (int i = 0; i < STAGES; ++i) {
                barrier_wait(empty + stage * 8, phase ^ 1);
                if (++stage == STAGES) stage = 0, phase ^= 1;
            }
        }
    } else {
        if constexpr (MANY_SUMS && CONSUMERS == 2) registers_up_to<232>();
        if constexpr (MANY_SUMS && CONSUMERS == 3) registers_up_to<160>();
        const int consumer = group - 1;
        // A stage that has been read is free again for all blocks that load parts of it: threads 0, 1, ... tell one each.
        const int other_m = thread - CLUSTER_N < rank_m ? thread - CLUSTER_N : thread - CLUSTER_N + 1;
        const unsigned there = CLUSTER > 1 && thread < CLUSTER_M + CLUSTER_N - 1
                                   ? in_block(empty, thread < CLUSTER_N ? thread * CLUSTER_M + rank_m : rank_n * CLUSTER_M + other_m)
                                   : empty;
        auto release = [&](int s) {
            if (thread < CLUSTER_M + CLUSTER_N - 1) {
                if constexpr (CLUSTER > 1) barrier_arrive_cluster(there + s * 8);
                else barrier_arrive(there + s * 8);
            }
        };
        auto skip = [&](int by) {
            stage += by;
            phase ^= stage / STAGES & 1;
            stage %= STAGES;
        };
        const int first_row = PING_PONG ? 0 : consumer * ROWS;
        const unsigned own_panels = panels + consumer * PANELS * PANEL_BYTES;
        unsigned turn = consumer == 0;
        int panel = 0;
        while (items.next()) {
            if (PING_PONG && items.number % 2 != consumer) {  // the other's
                skip(items.count);
                continue;
            }
            IN::Sum sums[ROWS / 64][TILE_N / 2];
            if (PING_PONG) {  // the other's multiplications first, then mine without a break
                barrier_wait(order + consumer * 8, turn);
                turn ^= 1;
            }
            int before = 0;
#pragma unroll 1
            for (int k = 0; k < items.count; ++k) {
                const unsigned my_a = stages + stage * STAGE_BYTES + first_row * 128, my_b = stages + stage * STAGE_BYTES + A_BYTES;
                barrier_wait(full + stage * 8, phase);
                multiply_stage(sums, my_a, my_b, k == 0);
                if (k > 0) {  // the step before this is over, this one runs on
                    wgmma_wait<1>();
                    release(before);
                }
                before = stage;
                if (++stage == STAGES) stage = 0, phase ^= 1;
            }
            if (PING_PONG && thread == 0) barrier_arrive(order + (1 - consumer) * 8);
            wgmma_wait<0>();
            release(before);

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

            place(items.tile, tiles_m, tiles_n, m, n);
            const int row = (m * CLUSTER_M + rank_m) * TILE_M + first_row, column = (n * CLUSTER_N + rank_n) * TILE_N;
            // Through PANELS buffers in turn: a buffer may be written again when its last store has read it.
#pragma unroll
            for (int p = 0; p < ALL_PANELS; ++p) {
                const unsigned to = own_panels + panel * PANEL_BYTES;
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
                            store_tile(map_c, column + q % ACROSS * PANEL_COLUMNS, row + q / ACROSS * 64, to - (p - q) * PANEL_BYTES KEEP_C);
                        store_commit();
                    }
                }
            }
        }
        if (thread == 0) store_wait_read<0>();
    }
}
