// One warpgroup makes a tile of C with wgmma: 128 threads together multiply tiles that lie in shared memory, and no
// operand passes through registers. TMA brings the tiles: one thread asks for a box of a matrix, the copy engine computes
// all addresses, swizzles, and counts the bytes at an mbarrier. STAGES tiles are on their way at once.
//   tiles 128 x TILE_N; a stage is 128 bytes of K (64 16-bit elements)
// The same thread that multiplies must also ask for the next tiles, after all four warps have read the old ones: a
// __syncthreads each step, which the next rung removes.
#define TILE_M 128
#ifndef TILE_N
#define TILE_N 128
#endif
#include "../common/hopper_tile.cuh"

extern "C" __global__ void __launch_bounds__(128)
    matmul_wgmma_tma(const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap b, void* c, int M, int N, int K) {
    const TensorMap &map_a = TENSOR_MAP(matmul_wgmma_tma, 0, a), &map_b = TENSOR_MAP(matmul_wgmma_tma, 1, b);
    extern __shared__ __align__(1024) unsigned char memory[];
    const unsigned stages = shared_address(memory), full = stages + STAGES * STAGE_BYTES;
    const int row = blockIdx.y * TILE_M, column = blockIdx.x * TILE_N, steps = (K + STEP - 1) / STEP;

    auto load = [&](int k) {
        const unsigned to = stages + k % STAGES * STAGE_BYTES, barrier = full + k % STAGES * 8;
        barrier_expect(barrier, STAGE_BYTES);
        load_operand<TILE_M, A_ACROSS>(to, map_a, row, k * STEP, barrier);
        load_operand<TILE_N, B_ACROSS>(to + A_BYTES, map_b, column, k * STEP, barrier);
    };
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; ++s) barrier_init(full + s * 8, 1);
        barrier_init_done();
        for (int k = 0; k < STAGES - 1 && k < steps; ++k) load(k);
    }
    __syncthreads();

    IN::Sum sums[TILE_M / 64][TILE_N / 2];
#pragma unroll 1
    for (int k = 0; k < steps; ++k) {
        const unsigned at = stages + k % STAGES * STAGE_BYTES;
        barrier_wait(full + k % STAGES * 8, k / STAGES % 2);
        multiply_stage(sums, at, at + A_BYTES, k == 0);
        wgmma_wait<1>();  // the step before is over: its stage may be filled again
        __syncthreads();
        if (threadIdx.x == 0 && k + STAGES - 1 < steps) load(k + STAGES - 1);
    }
    wgmma_wait<0>();
#pragma unroll
    for (int i = 0; i < TILE_M / 64; ++i) store_sums<OUT>(c, sums[i], row + i * 64, column, M, N);
}
