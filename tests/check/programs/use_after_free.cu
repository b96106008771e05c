// The buffer is freed before the second kernel that uses it.
#include <cstdio>
__global__ void add(int* x, int v) {
    x[threadIdx.x] += v;  // FINDING use-after-free
}
int main() {
    int* x = nullptr;
    if (cudaMalloc(&x, 128) != cudaSuccess || cudaMemset(x, 0, 128) != cudaSuccess) return 1;
    add<<<1, 32>>>(x, 1);
#ifndef RIGHT
    cudaFree(x);
#endif
    add<<<1, 32>>>(x, 2);
#ifdef RIGHT
    cudaFree(x);
#endif
    return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
