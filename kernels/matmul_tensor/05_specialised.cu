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
    Ring ring(shared_address(memory), shared_address(memory) + STAGES * STAGE_BYTES);
    const int group = __shfl_sync(0xffffffff, threadIdx.x / 128, 0);  // the same for a warp, and the compiler knows
    const int row = blockIdx.y * TILE_M, column = blockIdx.x * TILE_N, steps = (K + STEP - 1) / STEP;
    if (threadIdx.x == 0) {
        ring.prepare(CONSUMERS);
        barrier_init_done();
    }
    __syncthreads();
    if (group == 0) {
        registers_down_to<40>();
        if (threadIdx.x == 0)
            for (int k = 0; k < steps; ++k, ring.next()) {
                const unsigned barrier = ring.full + ring.stage * 8;
                ring.wait_empty();
                barrier_expect(barrier, STAGE_BYTES);
                load_operand<TILE_M, A_ACROSS>(ring.at(), map_a, row, k * STEP, barrier);
                load_operand<TILE_N, B_ACROSS>(ring.at() + A_BYTES, map_b, column, k * STEP, barrier);
            }
    } else {
        registers_up_to<232>();
        IN::Sum sums[TILE_M / CONSUMERS / 64][TILE_N / 2];
        const int first = (group - 1) * (TILE_M / CONSUMERS);
        multiply_stages(sums, ring, steps, first, [&](int stage) {
            if (threadIdx.x % 128 == 0) barrier_arrive(ring.empty() + stage * 8);
        });
        wgmma_wait<0>();
#pragma unroll
        for (int i = 0; i < TILE_M / CONSUMERS / 64; ++i) store_sums<OUT>(c, sums[i], row + first + i * 64, column, M, N);
    }
}
