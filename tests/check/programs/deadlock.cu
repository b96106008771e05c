// A consumer block waits for a flag that its producer sets too late: after the consumer's answer.
#include <cstdio>
__global__ void hand_over(volatile int* flags) {
    if (threadIdx.x) return;
    if (blockIdx.x == 0) {
#ifdef RIGHT
        flags[0] = 1;
#endif
        while (flags[1] == 0) {}  // FINDING deadlock
        flags[0] = 1;
    } else {
        while (flags[0] == 0) {}  // FINDING deadlock
        flags[1] = 1;
    }
}
int main() {
    int* flags = nullptr;
    if (cudaMalloc(&flags, 8) || cudaMemset(flags, 0, 8)) return 1;
    hand_over<<<2, 32>>>(flags);
    const cudaError_t e = cudaDeviceSynchronize();
    std::printf("%s\n", cudaGetErrorName(e));
    cudaFree(flags);
#ifdef RIGHT
    return e == cudaSuccess ? 0 : 1;
#else
    return e == cudaErrorLaunchFailure ? 0 : 1;
#endif
}
