// Writes behind its memory: the error stays until the device is reset.
#include "check.h"
__global__ void beyond(int* p, int n) {
    int i = threadIdx.x;
    if (i < n)
        // far behind its end
        p[i + 1024] = i;
}
int main() {
    int* p;
    OK(cudaMalloc(&p, 128));
    beyond<<<1, 32>>>(p, 32);
    std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    CHECK(cudaMalloc(&p, 4) == cudaErrorIllegalAddress);
    OK(cudaDeviceReset());
    OK(cudaMalloc(&p, 4));
}
