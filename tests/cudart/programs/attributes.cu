// What the runtime says a kernel was compiled for, by which CUB and Thrust choose how they work: the PTX's own compute
// capability, and the device's for the code that was made of it.
#include "check.h"
__global__ void arch(int* seen) {
#ifdef __CUDA_ARCH__
    *seen = __CUDA_ARCH__;
#endif
}
int main() {
    cudaFuncAttributes a;
    const cudaError_t e = cudaFuncGetAttributes(&a, arch);
    if (e != cudaSuccess) {
        int* p = nullptr;
        OK(cudaMalloc((void**)&p, 4));
        cudaGetLastError();
        arch<<<1, 1>>>(p);
        const cudaError_t launched = cudaGetLastError();
        std::printf("attributes %s, launch %s, after it %s\n", cudaGetErrorName(e), cudaGetErrorName(launched),
                    cudaGetErrorName(cudaDeviceSynchronize()));
        return 3;
    }
    int *seen, host = 0;
    OK(cudaMalloc((void**)&seen, 4));
    arch<<<1, 1>>>(seen);
    OK(cudaMemcpy(&host, seen, 4, cudaMemcpyDeviceToHost));
    std::printf("ptx %d, binary %d, __CUDA_ARCH__ %d\n", a.ptxVersion, a.binaryVersion, host);
    return 0;
}
