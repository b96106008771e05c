// Kernels each of which takes most of this machine's time with one kind of work; WHICH says which one runs.
#include <cstdlib>
#include <cstring>

#include "check.h"

constexpr unsigned kWords = 1 << 20;

__global__ void gathers(const unsigned* from, unsigned* to, unsigned rounds) {
    unsigned at = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u % kWords;
    for (unsigned k = 0; k < rounds; ++k) at = from[at];
    to[blockIdx.x * blockDim.x + threadIdx.x] = at;
}

__global__ void atomics(unsigned* to, unsigned rounds) {
    for (unsigned k = 0; k < rounds; ++k) atomicMax(&to[(threadIdx.x * 97 + k * 31) % 4096], k);
}

__global__ void arithmetic(const unsigned*, unsigned* to, unsigned rounds) {
    float x = threadIdx.x, y = 0.5f;
    for (unsigned k = 0; k < rounds; ++k) x = x * y + 1.5f, y = y * x - 2.5f, x = x * x + y, y = y * y + x;
    to[blockIdx.x * blockDim.x + threadIdx.x] = static_cast<unsigned>(x + y);
}

// Each block waits for the one before it.
__global__ void turns(volatile unsigned* done, unsigned rounds) {
    for (unsigned k = 0; k < rounds; ++k) {
        if (threadIdx.x == 0) {
            const unsigned before = (blockIdx.x + gridDim.x - 1) % gridDim.x;
            while (blockIdx.x != 0 && done[before] < k + 1) {
            }
            done[blockIdx.x] = k + 1;
        }
        __syncthreads();
    }
}

// Long code that runs once.
__global__ void compiling(unsigned* to, float x, float y) {
#pragma unroll
    for (unsigned k = 0; k < 400; ++k) {
        x = x * y + 1.5f + k, y = y / (x * x + 2.5f);
        if (x > y * k) x += sqrtf(fabsf(y)) + k;
    }
    to[threadIdx.x] = static_cast<unsigned>(x + y);
}

int main() {
    const char* which = std::getenv("WHICH");
    unsigned *from, *to;
    OK(cudaMallocManaged(&from, kWords * sizeof(unsigned)));
    OK(cudaMalloc(&to, kWords * sizeof(unsigned)));
    OK(cudaMemset(to, 0, kWords * sizeof(unsigned)));
    for (unsigned k = 0; k < kWords; ++k) from[k] = (k * 1664525u + 1013904223u) % kWords;
    if (!std::strcmp(which, "gathers")) gathers<<<1024, 256>>>(from, to, 400);
    if (!std::strcmp(which, "atomics")) atomics<<<256, 256>>>(to, 400);
    if (!std::strcmp(which, "arithmetic")) arithmetic<<<1024, 256>>>(from, to, 4000);
    if (!std::strcmp(which, "turns")) turns<<<64, 32>>>(to, 40000);
    if (!std::strcmp(which, "compiling")) compiling<<<1, 32>>>(to, 0.5f, 0.25f);
    OK(cudaDeviceSynchronize());
    std::puts("passed");
}
