// Memory that kernels change, for digests after each launch: an array, pointers, a device variable.
#include <cstdio>

__device__ int total;
__global__ void fill(int* x, int v) { x[threadIdx.x] = v + static_cast<int>(threadIdx.x); }
__global__ void point(int** p, int* x) { p[threadIdx.x] = x + threadIdx.x; }
__global__ void sum(const int* x, int more) { atomicAdd(&total, x[threadIdx.x] + more); }

int main(int argc, char**) {
    int* x = nullptr;
    int** p = nullptr;
    cudaMalloc(&x, 256);
    cudaMalloc(&p, 512);
    fill<<<1, 64>>>(x, 3);
    point<<<1, 64>>>(p, x);
    sum<<<1, 64>>>(x, argc - 1);
    std::puts(cudaDeviceSynchronize() == cudaSuccess ? "passed" : "failed");
}
