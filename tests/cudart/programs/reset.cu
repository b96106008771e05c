// After cudaDeviceReset nothing that a program had of the device stands for anything, and all can be made anew.
#include "check.h"
__global__ void add(int* p) { atomicAdd(p, 1); }
int main() {
    for (int round = 0; round < 3; ++round) {
        int *p, *pinned, host = 0;
        cudaStream_t s;
        cudaEvent_t e;
        OK(cudaMalloc(&p, 1 << 20));
        OK(cudaMallocHost(&pinned, 64));
        OK(cudaStreamCreate(&s));
        OK(cudaEventCreate(&e));
        OK(cudaMemset(p, 0, 1 << 20));
        add<<<1, 32, 0, s>>>(p);
        OK(cudaDeviceReset());
        CHECK(cudaMemset(p, 0, 4) == cudaErrorInvalidValue);
        CHECK(cudaMemcpy(&host, p, 4, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
        CHECK(cudaFree(p) == cudaErrorInvalidValue);
        CHECK(cudaFreeHost(pinned) == cudaErrorInvalidValue);
        CHECK(cudaStreamSynchronize(s) == cudaErrorInvalidResourceHandle);
        CHECK(cudaEventSynchronize(e) == cudaErrorInvalidResourceHandle);
        cudaGetLastError();
        add<<<1, 32>>>(p);
        CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
        OK(cudaDeviceReset());
        OK(cudaMalloc(&p, 4));
        OK(cudaMemset(p, 0, 4));
        add<<<1, 32>>>(p);
        OK(cudaMemcpy(&host, p, 4, cudaMemcpyDeviceToHost));
        CHECK(host == 32);
        OK(cudaFree(p));
    }
    std::puts("passed");
}
