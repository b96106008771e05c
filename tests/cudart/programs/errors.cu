#include <cstring>
#include "check.h"
__global__ void nothing(int) {}
__global__ void __launch_bounds__(128) small() {}
extern __shared__ int dynamic[];
__global__ void uses_shared() { dynamic[threadIdx.x] = 1; }
int main() {
    nothing<<<0, 32>>>(1);
    CHECK(cudaPeekAtLastError() == cudaErrorInvalidValue);
    CHECK(cudaGetLastError() == cudaErrorInvalidValue);
    CHECK(cudaGetLastError() == cudaSuccess);
    nothing<<<1, 2048>>>(1);
    CHECK(cudaGetLastError() == cudaErrorInvalidValue);
    small<<<1, 256>>>();
    CHECK(cudaGetLastError() != cudaSuccess);
    uses_shared<<<1, 32, 100000>>>();
    CHECK(cudaGetLastError() == cudaErrorInvalidValue);
    OK(cudaFuncSetAttribute(uses_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 100000));
    uses_shared<<<1, 32, 100000>>>();
    OK(cudaGetLastError());
    void* p;
    CHECK(cudaMalloc(&p, size_t(1) << 60) == cudaErrorMemoryAllocation);
    CHECK(cudaFree((void*)0x1230) == cudaErrorInvalidValue);
    OK(cudaFree(nullptr));
    CHECK(cudaSetDevice(99) == cudaErrorInvalidDevice);
    CHECK(std::strcmp(cudaGetErrorName(cudaErrorInvalidValue), "cudaErrorInvalidValue") == 0);
    CHECK(std::strcmp(cudaGetErrorString(cudaErrorInvalidValue), "invalid argument") == 0);
    OK(cudaMalloc(&p, 100));
    char there[200];
    CHECK(cudaMemcpy(p, there, 200, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
    cudaDeviceProp d;
    OK(cudaGetDeviceProperties(&d, 0));
    int value = 0;
    OK(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0));
    CHECK(value == d.multiProcessorCount && d.warpSize == 32 && d.major >= 1);
    cudaIpcMemHandle_t handle;
    (void)handle;
    std::puts("passed");
}
