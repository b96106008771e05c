// Threads that hand data to others through something narrower than the way to them. Each kernel has a repaired twin.
#include <cooperative_groups.h>
#include <cstdio>
#ifdef RIGHT
    #define IF_RIGHT(...) __VA_ARGS__
    #define IF_WRONG(...)
#else
    #define IF_RIGHT(...)
    #define IF_WRONG(...) __VA_ARGS__
#endif
namespace cg = cooperative_groups;

__global__ void fence_of_the_block(int* data, int* flag, int* out) {
    if (blockIdx.x == 0) {
        data[threadIdx.x] = threadIdx.x;
        IF_RIGHT(__threadfence();) IF_WRONG(__threadfence_block();)
        __syncthreads();
        if (threadIdx.x == 0) atomicExch(flag, 1);
    } else {
        if (threadIdx.x == 0)
            while (atomicAdd(flag, 0) == 0) {}
        __threadfence();
        __syncthreads();
        out[threadIdx.x] = data[threadIdx.x];  // FINDING race-global
    }
}

__global__ void tile_of_half_a_warp(int* out) {
    __shared__ int s[32];
    auto tile = cg::tiled_partition<IF_RIGHT(32) IF_WRONG(16)>(cg::this_thread_block());
    s[threadIdx.x] = threadIdx.x;
    tile.sync();
    out[threadIdx.x] = s[31 - threadIdx.x];  // FINDING race-lanes
}

__global__ void mask_of_half_a_warp(int* out) {
    __shared__ int s[32];
    s[threadIdx.x] = threadIdx.x;
    IF_RIGHT(__syncwarp();) IF_WRONG(__syncwarp(threadIdx.x < 16 ? 0xffffu : 0xffff0000u);)
    out[threadIdx.x] = s[threadIdx.x ^ 16];  // FINDING race-lanes
}

// Two warps meet at barrier 1; the third reads as well.
__global__ void barrier_of_two_warps(int* out) {
    __shared__ int s[96];
    s[threadIdx.x] = threadIdx.x;
    if (IF_RIGHT(true) IF_WRONG(threadIdx.x < 64)) asm volatile("bar.sync 1, %0;" ::"n"(IF_RIGHT(96) IF_WRONG(64)) : "memory");
    out[threadIdx.x] = s[(threadIdx.x + 32) % 96];  // FINDING race-shared
}

__global__ void one_barrier_for_a_tile(const int* in, int* out) {
    __shared__ int tile[64];
    int sum = 0;
    for (int k = 0; k < 4; ++k) {
        tile[threadIdx.x] = in[64 * k + threadIdx.x];  // FINDING race-shared
        __syncthreads();
        sum += tile[63 - threadIdx.x];
        IF_RIGHT(__syncthreads();)
    }
    out[threadIdx.x] = sum;
}

int main() {
    int *in, *out, *flag;
    cudaMalloc(&in, 1024), cudaMalloc(&out, 1024), cudaMalloc(&flag, 4);
    cudaMemset(in, 0, 1024), cudaMemset(flag, 0, 4);
    fence_of_the_block<<<2, 64>>>(in, flag, out);
    tile_of_half_a_warp<<<1, 32>>>(out);
    mask_of_half_a_warp<<<1, 32>>>(out);
    barrier_of_two_warps<<<1, 96>>>(out);
    one_barrier_for_a_tile<<<1, 64>>>(in, out);
    const cudaError_t e = cudaDeviceSynchronize();
    cudaFree(in), cudaFree(out), cudaFree(flag);
    return e != cudaSuccess;
}
