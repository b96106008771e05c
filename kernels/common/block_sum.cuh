// Sum of one value per thread over a warp and over a block, by register shuffles.
#pragma once
#include "types.cuh"

/// The sum over the warp, valid in lane 0. All 32 lanes must call it.
static __device__ ELEMENT warp_sum(ELEMENT value) {
#pragma unroll
    for (unsigned s = 16; s > 0; s /= 2) value += __shfl_down_sync(0xffffffffu, value, s);
    return value;
}

/// The sum over the block, valid in thread 0. blockDim.x: a multiple of 32. All threads must call it;
/// it may be called again after a barrier.
static __device__ ELEMENT block_sum(ELEMENT value) {
    __shared__ ELEMENT of_warp[32];
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    value = warp_sum(value);
    if (lane == 0) of_warp[warp] = value;
    __syncthreads();
    if (warp == 0) {
        value = lane < blockDim.x / 32 ? of_warp[lane] : ELEMENT(0);
        value = warp_sum(value);
    }
    return value;
}
