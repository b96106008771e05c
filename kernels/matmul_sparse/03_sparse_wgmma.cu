// The product of a 2:4 sparse A (stored at half width, with metadata: 01_prune.cu) and a dense B, on the sparse tensor
// cores: twice the products in the time of a dense wgmma, for half the bytes of A. What it does not halve is B: an
// instruction of 64 x 256 reads 16 KB of B in 128 cycles, all that shared memory can deliver, so what binds is no
// longer the tensor core. Hence the widest tile, 256 columns, and blocks in clusters that share B's way from the L2
// cache.
// The rest is the dense kernel's: one thread of the first warpgroup starts copies by tensor map, STAGES steps ahead;
// CONSUMERS warpgroups multiply 64 rows each; results go through shared memory and are written by tensor map; a block works
// on one tile after another. Metadata is read from global memory straight into registers, four words at a time, one
// load ahead.
#include "01_prune.cu"

#ifndef ELEMENT
#define ELEMENT bf16
#endif
#ifndef CONSUMERS
#define CONSUMERS 2  // warpgroups that multiply, 64 rows each
#endif
#ifndef COLUMNS
#define COLUMNS 256  // of a tile
#endif
#ifndef STAGES
#define STAGES 5
#endif
#ifndef CLUSTER
#define CLUSTER 2  // blocks, one below the other, that share a tile of B
#endif
#ifndef OUT
#define OUT 1  // pieces of 64 columns of the result that can wait to be written
#endif
#ifndef GROUP
#define GROUP 8  // rows of clusters that neighbours share
#endif
// Unrolled, so that which register holds the metadata of a step is known; clang's code, for the emulated GPU, would only grow.
#ifdef __clang__
#define UNROLL_STEPS _Pragma("unroll 1")
#else
#define UNROLL_STEPS _Pragma("unroll")
#endif

namespace kernel {
using namespace sparse;

typedef ELEMENT T;
typedef T::Result Output;

constexpr int kRows = 64 * CONSUMERS, kColumns = COLUMNS;
constexpr int kBytesA = kRows * 64, kBytesB = kColumns * 128, kStage = kBytesA + kBytesB;
constexpr int kPiece = 64 * 128;  // 64 x 64 results
constexpr int kOutAt = STAGES * kStage, kBarriersAt = kOutAt + CONSUMERS * OUT * kPiece;

struct Ring {
    unsigned stage = 0, phase = 0;
    __device__ __forceinline__ void next() {
        if (++stage == STAGES) stage = 0, phase ^= 1;
    }
};

/// Not before its place in the program, which a compiler would else see no reason to keep.
static __device__ __forceinline__ uint4 load_metadata(const uint4* from) {
    uint4 v;
    asm volatile("ld.global.nc.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(from));
    return v;
}

/// Word `step` * each + offset of four.
template <int each, int offset = 0> static __device__ __forceinline__ unsigned word(const uint4& v, int step) {
    const int i = step * each + offset;
    return i == 0 ? v.x : i == 1 ? v.y : i == 2 ? v.z : v.w;
}

/// Which tile comes n-th: GROUP rows of clusters, column by column, so that what runs at the same time shares much.
struct Tile {
    int row, column;
    __device__ __forceinline__ Tile(int n, int rows, int columns) {
        const int per_group = GROUP * columns, group = n / per_group, in_group = min(GROUP, rows - group * GROUP);
        row = group * GROUP + n % per_group % in_group;
        column = n % per_group / in_group;
    }
};
}  // namespace kernel

extern "C" __global__ void __launch_bounds__(128 * (CONSUMERS + 1), 1)
    matmul_sparse(const __grid_constant__ TensorMap map_a, const __grid_constant__ TensorMap map_b, const __grid_constant__ TensorMap map_c,
                  const uint4* __restrict__ metadata, int M, int N, int K) {
    using namespace kernel;
    extern __shared__ __align__(1024) unsigned char shared[];
    const unsigned base = (shared_address(shared) + 1023) & ~1023u;
    const unsigned full = base + kBarriersAt, empty = full + STAGES * 8;
    const TensorMap& a_map = TENSOR_MAP(matmul_sparse, 0, map_a);
    const TensorMap& b_map = TENSOR_MAP(matmul_sparse, 1, map_b);
    const TensorMap& c_map = TENSOR_MAP(matmul_sparse, 2, map_c);
    const int t = threadIdx.x, group = t / 128;
    const unsigned rank = CLUSTER > 1 ? cluster_rank() : 0;

    if (t == 0) {
        prefetch_map(a_map);
        prefetch_map(b_map);
        for (int s = 0; s < STAGES; ++s) {
            barrier_init(full + s * 8, 1);
            barrier_init(empty + s * 8, CONSUMERS * CLUSTER);  // the warpgroups of every block of the cluster
        }
        barrier_init_done();
    }
    if (CLUSTER > 1) {
        cluster_arrive();
        cluster_wait();
    } else {
        __syncthreads();
    }

    const int tile_rows = (M + kRows - 1) / kRows, rows = (tile_rows + CLUSTER - 1) / CLUSTER, columns = (N + kColumns - 1) / kColumns;
    const int tiles = rows * columns, clusters = gridDim.x / CLUSTER, first = blockIdx.x / CLUSTER;
    const int loads = (K + kMetadataK<T> - 1) / kMetadataK<T>;  // of metadata, each for kStagesPerLoad steps

    if (group == 0) {
        registers_down_to<CONSUMERS == 2 ? 40 : 32>();
        if (t == 0) {
            Ring ring;
            for (int n = first; n < tiles; n += clusters) {
                const Tile tile(n, rows, columns);
                const int row = (tile.row * CLUSTER + rank) * kRows, column = tile.column * kColumns + rank * (kColumns / CLUSTER);
#pragma unroll 1
                for (int step = 0; step < loads * kStagesPerLoad<T>; ++step, ring.next()) {
                    const unsigned at = base + ring.stage * kStage, barrier = full + ring.stage * 8;
                    barrier_wait(empty + ring.stage * 8, ring.phase ^ 1);
                    barrier_expect(barrier, kStage);
                    load_tile(at, a_map, step * (kStageK<T> / 2), row, barrier);
                    if (CLUSTER > 1)
                        load_tile_to(at + kBytesA + rank * (kBytesB / CLUSTER), b_map, step * kStageK<T>, column, barrier, (1 << CLUSTER) - 1);
                    else
                        load_tile(at + kBytesA, b_map, step * kStageK<T>, column, barrier);
                }
            }
        }
    } else {
        registers_up_to<CONSUMERS == 2 ? 232 : 160>();
        const int half = group - 1, in_group = t % 128, lane = t % 32, warp = in_group / 32;
        const unsigned out = base + kOutAt + half * OUT * kPiece;
        float sum[kColumns / 2];
        Ring ring;
        // Metadata of this warpgroup's 64 rows of the n-th tile; beyond M there is none, and nothing is written.
        auto metadata_of = [&](int n) {
            const Tile tile(n, rows, columns);
            const int row = min((tile.row * CLUSTER + int(rank)) * CONSUMERS + half, (M + 63) / 64 - 1);
            return metadata + (long long)row * loads * 128 + in_group;
        };
        auto release = [&](unsigned stage) {
            if (in_group >= CLUSTER) return;
            if (CLUSTER > 1)
                barrier_arrive_cluster(in_block(empty + stage * 8, in_group));
            else
                barrier_arrive(empty + stage * 8);
        };
        uint4 even = {0, 0, 0, 0}, odd = {0, 0, 0, 0};  // metadata in use, and the next
        if (first < tiles) even = load_metadata(metadata_of(first));
        for (int n = first; n < tiles; n += clusters) {
            const uint4* from = metadata_of(n);
            unsigned before = 0;  // the stage before, to be given back
            int add = 0;
            constexpr int per = kStagesPerLoad<T>;
            for (int i = 0; i < loads; i += 2) {
                UNROLL_STEPS
                for (int s = 0; s < 2 * per; ++s) {
                    if (s == per && i + 1 == loads) break;
                    const uint4 now = s < per ? even : odd;
                    const unsigned at = base + ring.stage * kStage;
                    barrier_wait(full + ring.stage * 8, ring.phase);
                    const u64 a = stored_rows(at + half * 64 * 64), b = k_major(at + kBytesA);
                    wgmma_fence();
                    // 16-bit: one word for both instructions, which take it from other lanes; 8-bit: a word each.
                    WgmmaSparse<T, kColumns, 0>::multiply(sum, a, b, word<T::bytes == 2 ? 1 : 2>(now, s % per), add);
                    WgmmaSparse<T, kColumns, T::bytes == 2 ? 1 : 0>::multiply(sum, a + 2, b + 4, word<T::bytes == 2 ? 1 : 2, T::bytes == 2 ? 0 : 1>(now, s % per), 1);
                    wgmma_commit();
                    wgmma_wait<1>();
                    if (add) release(before);
                    before = ring.stage;
                    ring.next();
                    add = 1;
                    // What used the other words is over: they may be replaced.
                    if (s == 0 && i + 1 < loads) odd = load_metadata(from + (i + 1) * 128);
                    if (s == per && i + 2 < loads) even = load_metadata(from + (i + 2) * 128);
                }
            }
            wgmma_wait<0>();
            release(before);
            if (n + clusters < tiles) even = load_metadata(metadata_of(n + clusters));

            const Tile tile(n, rows, columns);
            const int row = (tile.row * CLUSTER + rank) * kRows + half * 64, column = tile.column * kColumns;
#pragma unroll
            for (int c = 0; c < kColumns / 64; ++c) {
                const unsigned piece = out + c % OUT * kPiece;
                if (in_group == 0) store_wait_read<OUT - 1>();
                named_barrier(1 + half, 128);
#pragma unroll
                for (int j = 0; j < 8; j += 2) {
                    const float* d = sum + (c * 8 + j) * 4;
                    const int r = warp * 16 + lane % 16, p = j + lane / 16;
                    store_matrices(piece + r * 128 + ((p ^ (r % 8)) * 16), pack(Output{}, d[0], d[1]), pack(Output{}, d[2], d[3]), pack(Output{}, d[4], d[5]),
                                   pack(Output{}, d[6], d[7]));
                }
                fence_async();
                named_barrier(1 + half, 128);
                if (in_group == 0) {
                    store_tile(c_map, column + c * 64, row, piece);
                    store_commit();
                }
            }
        }
        if (in_group == 0) asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
    if (CLUSTER > 1) {
        // A block's shared memory must stay until the others' last arrivals have come.
        cluster_arrive();
        cluster_wait();
    }
}
