// Kinds of memory; copies in two and three dimensions; pools.
#include <cstring>
#include <vector>
#include "check.h"
__global__ void fill(int* p, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) p[i] = i * i;
}
int main() {
    int* managed;
    OK(cudaMallocManaged(&managed, 400));
    fill<<<1, 32>>>(managed, 100);
    OK(cudaDeviceSynchronize());
    CHECK(managed[99] == 9801);
    cudaPointerAttributes a;
    OK(cudaPointerGetAttributes(&a, managed));
    CHECK(a.type == cudaMemoryTypeManaged);
    OK(cudaPointerGetAttributes(&a, &a));
    CHECK(a.type == cudaMemoryTypeUnregistered);

    std::vector<int> own(100);
    OK(cudaHostRegister(own.data(), 400, cudaHostRegisterMapped));
    int* seen;
    OK(cudaHostGetDevicePointer(&seen, own.data(), 0));
    fill<<<1, 32>>>(seen, 100);
    OK(cudaDeviceSynchronize());
    CHECK(own[10] == 100);
    OK(cudaHostUnregister(own.data()));
    CHECK(cudaHostUnregister(own.data()) == cudaErrorHostMemoryNotRegistered);
    cudaGetLastError();

    size_t pitch = 0;
    char* plane;
    OK(cudaMallocPitch(&plane, &pitch, 100, 20));
    CHECK(pitch >= 100);
    OK(cudaMemset2D(plane, pitch, 7, 100, 20));
    char from[20][30], to[20][30];
    for (int y = 0; y < 20; ++y)
        for (int x = 0; x < 30; ++x) from[y][x] = char(y * 30 + x);
    OK(cudaMemcpy2D(plane + 3, pitch, from, 30, 30, 20, cudaMemcpyHostToDevice));
    OK(cudaMemcpy2D(to, 30, plane + 3, pitch, 30, 20, cudaMemcpyDeviceToHost));
    CHECK(std::memcmp(from, to, sizeof from) == 0);
    char edge = 0;
    OK(cudaMemcpy(&edge, plane + pitch + 2, 1, cudaMemcpyDeviceToHost));
    CHECK(edge == 7);

    cudaPitchedPtr volume;
    OK(cudaMalloc3D(&volume, make_cudaExtent(12, 5, 4)));
    std::vector<unsigned char> cube(12 * 5 * 4), back(12 * 5 * 4);
    for (size_t i = 0; i < cube.size(); ++i) cube[i] = (unsigned char)i;
    cudaMemcpy3DParms p = {};
    p.srcPtr = make_cudaPitchedPtr(cube.data(), 12, 12, 5);
    p.dstPtr = volume;
    p.extent = make_cudaExtent(12, 5, 4);
    p.kind = cudaMemcpyHostToDevice;
    OK(cudaMemcpy3D(&p));
    p.srcPtr = volume, p.dstPtr = make_cudaPitchedPtr(back.data(), 12, 12, 5), p.kind = cudaMemcpyDeviceToHost;
    OK(cudaMemcpy3D(&p));
    CHECK(cube == back);

    cudaStream_t s;
    OK(cudaStreamCreate(&s));
    int* pooled;
    OK(cudaMallocAsync(&pooled, 400, s));
    fill<<<1, 32, 0, s>>>(pooled, 100);
    int last = 0;
    OK(cudaMemcpyAsync(&last, pooled + 99, 4, cudaMemcpyDeviceToHost, s));
    OK(cudaFreeAsync(pooled, s));
    OK(cudaStreamSynchronize(s));
    CHECK(last == 9801);
    std::puts("passed");
}
