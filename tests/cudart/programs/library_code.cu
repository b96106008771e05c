// What template libraries do with the compiler: kernels whose names say what they are compiled for, macros that stand for a
// #pragma, launches in device code that the host's side only reads, static kernel templates, launches that overlap the one before.
// Built with -arch=sm_90.
#include "check.h"

#define UNROLL #pragma unroll
#define JOINED(a, b) a##b
#define NAMED(a, b) JOINED(a, b)

// CUB and Thrust put the list of architectures into the names of their namespaces.
namespace NAMED(compiled_for_, __CUDA_ARCH_LIST__) {
template <class T> __global__ void doubled(T* out, const T* in) { out[threadIdx.x] = 2 * in[threadIdx.x]; }
}  // namespace NAMED(compiled_for_,__CUDA_ARCH_LIST__)

// Thrust's launcher: these names stand in functions of the device's on the host's side, too.
#ifndef __CUDA_ARCH__
__device__ cudaError_t launched(void* kernel, void* buffer) {
    buffer = cudaGetParameterBuffer(64, 8);
    return cudaLaunchDevice(kernel, buffer, dim3(1), dim3(1), 0, 0);
}
#endif

template <int N> static __global__ void sum(int* out, const int* in) {
    int s = 0;
    UNROLL
    for (int i = 0; i < N; ++i) s += in[i];
    *out = s;
}
__global__ void launches(int* out, const int* in) { sum<4><<<1, 1>>>(out, in); }

__global__ void in_cluster(int* out) {
    __shared__ int mine;
    __cluster_barrier_arrive_relaxed();
    __cluster_barrier_wait();
    out[0] = __isClusterShared(&mine), out[1] = __isClusterShared(out);
}

__global__ void first(int* out) {
    *out = 1;
    cudaTriggerProgrammaticLaunchCompletion();
}
__global__ void second(int* out) {
    cudaGridDependencySynchronize();
    *out += 1;
}

int main() {
    int* p;
    OK(cudaMallocManaged(&p, 64));
    UNROLL
    for (int i = 0; i < 8; ++i) p[i] = i + 1;
    NAMED(compiled_for_, __CUDA_ARCH_LIST__)::doubled<<<1, 4>>>(p + 8, p);
    OK(cudaDeviceSynchronize());
    CHECK(p[8] == 2 && p[11] == 8);
    sum<8><<<1, 1>>>(p + 8, p);
    launches<<<1, 1>>>(p + 9, p);
    OK(cudaDeviceSynchronize());
    CHECK(p[8] == 36 && p[9] == 10);
    in_cluster<<<1, 32>>>(p + 10);
    OK(cudaDeviceSynchronize());
    CHECK(p[10] == 1 && p[11] == 0);

    cudaLaunchAttribute overlap{};
    overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    overlap.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t how{};
    how.gridDim = how.blockDim = dim3(1);
    how.attrs = &overlap, how.numAttrs = 1;
    first<<<1, 1>>>(p);
    OK(cudaLaunchKernelEx(&how, second, p));
    OK(cudaDeviceSynchronize());
    CHECK(p[0] == 2);
    std::printf("passed\n");
}
