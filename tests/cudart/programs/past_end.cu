// A store behind an allocation of a multiple of 512 bytes, in several launches; the program's data are right all the same.
#include "check.h"

__global__ void add_one(int* p, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n) p[i] += 1;
}

int main() {
    int *a, *b, host[256];
    OK(cudaMalloc(&a, sizeof host));
    OK(cudaMalloc(&b, sizeof host));
    OK(cudaMemset(a, 0, sizeof host));
    OK(cudaMemset(b, 0, sizeof host));
    for (int k = 0; k < 3; ++k) add_one<<<2, 192>>>(a, 256);
    const auto ended = cudaDeviceSynchronize();
    std::printf("%s\n", cudaGetErrorName(ended));
    if (ended != cudaSuccess) return 1;
    OK(cudaMemcpy(host, a, sizeof host, cudaMemcpyDeviceToHost));
    for (int x : host) CHECK(x == 3);
    OK(cudaMemcpy(host, b, sizeof host, cudaMemcpyDeviceToHost));
    for (int x : host) CHECK(x == 0);
    std::printf("passed\n");
}
