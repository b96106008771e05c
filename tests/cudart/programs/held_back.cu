#include "check.h"
// A kernel whose loads depend on an argument, behind copies of pageable memory.
__global__ void strided(float* to, const float* from, int step) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = from[i * step];
}
int main() {
    const int n = 1 << 18;
    static float host[8 * n];
    float *to, *from;
    OK(cudaMalloc(&to, n * 4));
    OK(cudaMalloc(&from, sizeof host));
    OK(cudaMemcpy(from, host, sizeof host, cudaMemcpyHostToDevice));
    strided<<<n / 256, 256>>>(to, from, 1);
    strided<<<n / 256, 256>>>(to, from, 8);
    strided<<<n / 256, 256>>>(to, from, 1);
    OK(cudaMemcpy(host, to, n * 4, cudaMemcpyDeviceToHost));
    std::printf("passed\n");
}
