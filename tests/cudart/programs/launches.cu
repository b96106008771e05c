// Launch forms, attributes, occupancy, printf.
#include <cooperative_groups.h>
#include "check.h"
struct Pair { char c; double d; };
__global__ void take(char a, Pair p, short b, double* out) { *out = a + p.c + p.d + b; }
__global__ void everyone(int* sum, int* seen) {
    auto grid = cooperative_groups::this_grid();
    atomicAdd(sum, 1);
    grid.sync();
    if (threadIdx.x == 0) seen[blockIdx.x] = *sum;
}
__constant__ float weights[5];
__global__ void weigh(float* out) { *out = weights[threadIdx.x]; }
__global__ void say(int v) { printf("value %d of thread %d\n", v, (int)threadIdx.x); }
__global__ void occupied() {}
int main() {
    double *out, got = 0;
    OK(cudaMalloc(&out, 8));
    take<<<1, 1>>>(1, Pair{2, 3.5}, 4, out);
    OK(cudaMemcpy(&got, out, 8, cudaMemcpyDeviceToHost));
    CHECK(got == 10.5);
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(1), config.blockDim = dim3(1);
    OK(cudaLaunchKernelEx(&config, take, char(5), Pair{1, 1.0}, short(1), out));
    OK(cudaMemcpy(&got, out, 8, cudaMemcpyDeviceToHost));
    CHECK(got == 8);
    int *sum, *seen, host[16];
    OK(cudaMallocManaged(&sum, 4));
    OK(cudaMalloc(&seen, sizeof host));
    *sum = 0;
    void* arguments[] = {&sum, &seen};
    OK(cudaLaunchCooperativeKernel(everyone, dim3(16), dim3(64), arguments, 0, 0));
    OK(cudaMemcpy(host, seen, sizeof host, cudaMemcpyDeviceToHost));
    for (int v : host) CHECK(v == 16 * 64);
    CHECK(cudaLaunchCooperativeKernel(everyone, dim3(1000000), dim3(64), arguments, 0, 0) == cudaErrorCooperativeLaunchTooLarge);
    cudaGetLastError();
    int blocks = 0, grid = 0, block = 0;
    // Beyond the usual 48 KiB only where it was raised for the kernel.
    size_t usual = 0, raised = 0;
    OK(cudaOccupancyAvailableDynamicSMemPerBlock(&usual, (const void*)occupied, 1, 64));
    CHECK(usual > 0 && usual <= 48 * 1024);
    OK(cudaFuncSetAttribute((const void*)occupied, cudaFuncAttributeMaxDynamicSharedMemorySize, 64 * 1024));
    OK(cudaOccupancyAvailableDynamicSMemPerBlock(&raised, (const void*)occupied, 1, 64));
    CHECK(raised == 64 * 1024);
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, say, 256, 0));
    CHECK(blocks >= 1 && blocks <= 32);
    OK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, say, 0, 0));
    CHECK(block >= 32 && block <= 1024 && grid >= 1);
    cudaFuncAttributes a;
    OK(cudaFuncGetAttributes(&a, say));
    CHECK(a.maxThreadsPerBlock == 1024 && a.numRegs > 0);
    OK(cudaFuncGetAttributes(&a, weigh));
    CHECK(a.constSizeBytes == sizeof weights);
    say<<<1, 2>>>(42);
    OK(cudaDeviceSynchronize());
    std::puts("passed");
}
