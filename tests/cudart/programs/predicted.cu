#include "check.h"
// Prints what an event pair says of eight launches of one kernel; the test compares it with the profile.
__global__ void scale(float* a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] *= 2;
}
int main() {
    const int n = 1 << 16;
    float* a;
    OK(cudaMalloc(&a, n * 4));
    cudaEvent_t begin, end;
    OK(cudaEventCreate(&begin));
    OK(cudaEventCreate(&end));
    scale<<<n / 256, 256>>>(a, n);
    OK(cudaDeviceSynchronize());
    OK(cudaEventRecord(begin));
    for (int i = 0; i < 7; ++i) scale<<<n / 256, 256>>>(a, n);
    OK(cudaEventRecord(end));
    OK(cudaEventSynchronize(end));
    float ms = 0;
    OK(cudaEventElapsedTime(&ms, begin, end));
    CHECK(ms > 0);
    std::printf("seconds %.9g\npassed\n", ms / 1e3);
}
