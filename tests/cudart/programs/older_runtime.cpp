// A program of CUDA 12's runtime library: functions whose parameters CUDA 13 changed report a kernel's fault as all
// others do.
#include <cuda_runtime_api.h>
#include <stdio.h>

#include <cstring>

#include "program_checks.hpp"

extern "C" {
// As CUDA 12 has them.
cudaError_t cudaGetDeviceProperties_v2(void* properties, int device);
cudaError_t advise_12(const void*, size_t, cudaMemoryAdvise, int) __asm__("cudaMemAdvise");
cudaError_t prefetch_12(const void*, size_t, int, cudaStream_t) __asm__("cudaMemPrefetchAsync");
}

static const char kPtx[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry fault() { .reg .b64 %a; mov.u64 %a, 0; "
    "st.global.u32 [%a], 1; ret; }\n";

int main() {
    static char properties[4096];
    SAME(cudaGetDeviceProperties_v2(properties, 0), cudaSuccess);
    SAME(properties[0] != 0, 1);
    SAME(cudaGetDeviceProperties_v2(properties, 7), cudaErrorInvalidDevice);
    SAME(cudaGetLastError(), cudaErrorInvalidDevice);
    void* managed = nullptr;
    SAME(cudaMallocManaged(&managed, 4096, cudaMemAttachGlobal), cudaSuccess);
    SAME(advise_12(managed, 4096, cudaMemAdviseSetReadMostly, 0), cudaSuccess);
    SAME(prefetch_12(managed, 4096, 0, nullptr), cudaSuccess);
    cudaLibrary_t library;
    cudaKernel_t kernel;
    SAME(cudaLibraryLoadData(&library, kPtx, nullptr, nullptr, 0, nullptr, nullptr, 0), cudaSuccess);
    SAME(cudaLibraryGetKernel(&kernel, library, "fault"), cudaSuccess);
    SAME(cudaLaunchKernel(kernel, dim3(1), dim3(1), nullptr, 0, nullptr), cudaSuccess);
    SAME(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    SAME(advise_12(managed, 4096, cudaMemAdviseSetReadMostly, 0), cudaErrorIllegalAddress);
    SAME(prefetch_12(managed, 4096, 0, nullptr), cudaErrorIllegalAddress);
    SAME(cudaGetLastError(), cudaErrorIllegalAddress);
    puts(failed ? "failed" : "passed");
    return failed;
}
