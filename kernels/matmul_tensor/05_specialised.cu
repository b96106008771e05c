// Warps with one task each. A producer warp does nothing but ask TMA for tiles; two consumer warpgroups, 64 rows of the
// tile each, do nothing but wgmma. A full and an empty mbarrier for each stage hand it to and fro, so nobody waits for
// the whole block. The producer needs few registers and gives the rest to the consumers (setmaxnreg): 128 x 256 sums
// in 256 threads are 128 registers of each.
// A tile is twice as large as the rung's before: half as many bytes from L2 for a multiplication, and wgmma with N = 256
// reads the least shared memory.
#include "../common/hopper_tile.cuh"
#define CONSUMERS 2

extern "C" __global__ void __launch_bounds__(384, 1)
    matmul_specialised(const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap b, void* c, int M, int N, int K) {
    const TensorMap &map_a = TENSOR_MAP(matmul_specialised, 0, a), &map_b = TENSOR_MAP(matmul_specialised, 1, b);
    extern __shared__ __align__(1024) unsigned char memory[];
    const unsigned stages = shared_address(memory), full = stages + STAGES * STAGE_BYTES, empty = full + STAGES * 8;
    const int group = __shfl_sync(0xffffffff, threadIdx.x / 128, 0);  // the same for a warp, and the compiler knows
    const int row = blockIdx.y * TILE_M, column = blockIdx.x * TILE_N, steps = (K + STEP - 1) / STEP;
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; ++s) {
            barrier_init(full + s * 8, 1);
            barrier_init(empty + s * 8, CONSUMERS);
        }
        barrier_init_done();
    }
    __syncthreads();

    int stage = 0;
    unsigned phase = 0;
    auto next = [&] {
        if (++stage == STAGES) stage = 0, phase ^= 1;
    };
    if (group == 0) {
        registers_down_to<40>();
        if (threadIdx.x == 0)
            for (int k = 0; k < steps; ++k, next()) {
                const unsigned to = stages + stage * STAGE_BYTES, barrier = full + stage * 8;
                barrier_wait(empty + stage * 8, phase ^ 1);
                barrier_expect(barrier, STAGE_BYTES);
                load_operand<TILE_M, A_ACROSS>(to, map_a, row, k * STEP, barrier);
                load_operand<TILE_N, B_ACROSS>(to + A_BYTES, map_b, column, k * STEP, barrier);
            }
    } else {
        registers_up_to<232>();
        IN::Sum sums[TILE_M / CONSUMERS / 64][TILE_N / 2];
        const int first = (group - 1) * (TILE_M / CONSUMERS);
        int before = 0;
#pragma unroll 1
        for (int k = 0; k < steps; ++k, next()) {
            const unsigned at = stages + stage * STAGE_BYTES;
            barrier_wait(full + stage * 8, phase);
            multiply_stage(sums, at + first * 128, at + A_BYTES, k == 0);
            if (k > 0) {
                wgmma_wait<1>();
                if (threadIdx.x % 128 == 0) barrier_arrive(empty + before * 8);
            }
            before = stage;
        }
        wgmma_wait<0>();
#pragma unroll
        for (int i = 0; i < TILE_M / CONSUMERS / 64; ++i) store_sums<OUT>(c, sums[i], row + first + i * 64, column, M, N);
    }
}
