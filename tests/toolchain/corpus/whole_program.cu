// PTX: .entry test  ld.global.u32|ld.global.nc.u32
#include <cuda_runtime.h>
#include <device_launch_parameters.h>

#include <cstdio>
#include <cstdlib>
#include <vector>
#define CHECK(call)                                                              \
    do {                                                                         \
        cudaError_t status = (call);                                             \
        if (status != cudaSuccess) {                                             \
            std::fprintf(stderr, "%s\n", cudaGetErrorString(status));            \
            std::exit(1);                                                        \
        }                                                                        \
    } while (0)
__constant__ float scale[4];
extern "C" __global__ void test(const unsigned* in, unsigned* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] * 2 + 1;
}
int main() {
    std::vector<unsigned> host(1000, 3);
    unsigned *in, *out;
    CHECK(cudaMalloc(&in, host.size() * sizeof(unsigned)));
    CHECK(cudaMalloc(&out, host.size() * sizeof(unsigned)));
    CHECK(cudaMemcpy(in, host.data(), host.size() * sizeof(unsigned), cudaMemcpyHostToDevice));
    float values[4] = {sqrtf(2.0f), 1, 2, 3};
    CHECK(cudaMemcpyToSymbol(scale, values, sizeof values));
    cudaEvent_t start, stop;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    CHECK(cudaEventRecord(start));
    test<<<dim3(4), dim3(256)>>>(in, out, (int)host.size());
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(stop));
    CHECK(cudaDeviceSynchronize());
    cudaDeviceProp properties;
    CHECK(cudaGetDeviceProperties(&properties, 0));
    std::printf("%s\n", properties.name);
    return cudaFree(in) == cudaSuccess && cudaFree(out) == cudaSuccess ? 0 : 1;
}
