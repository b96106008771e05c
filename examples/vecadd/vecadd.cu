// The eight steps of a CUDA program, on the sum of two vectors. To run it on a GPU: nvcc -o vecadd vecadd.cu && ./vecadd
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>

// Every call may fail; one that did is named with its line.
#define CHECK(call)                                                                                 \
    do {                                                                                            \
        cudaError_t status = (call);                                                                \
        if (status != cudaSuccess) {                                                                \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status));    \
            std::exit(1);                                                                           \
        }                                                                                           \
    } while (0)

// Step 1: the kernel, outside of any function. One thread adds one pair; the last block may reach past the end.
__global__ void vecadd(const float* a, const float* b, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

int main(int argc, char** argv) {
    const int n = argc > 1 ? std::atoi(argv[1]) : 1 << 20;
    if (n < 1) {
        std::fprintf(stderr, "usage: vecadd [number of elements]\n");
        return 2;
    }
    const size_t bytes = n * sizeof(float);

    // Step 2: memory of the host, and what is in it.
    float* a = static_cast<float*>(std::malloc(bytes));
    float* b = static_cast<float*>(std::malloc(bytes));
    float* c = static_cast<float*>(std::malloc(bytes));
    if (!a || !b || !c) return 1;
    for (int i = 0; i < n; ++i) {
        a[i] = 0.5f * (i % 1000);
        b[i] = 0.25f * (i % 777);
    }

    // Step 3: memory of the device, as large.
    float *device_a, *device_b, *device_c;
    CHECK(cudaMalloc(&device_a, bytes));
    CHECK(cudaMalloc(&device_b, bytes));
    CHECK(cudaMalloc(&device_c, bytes));

    // Step 4: the input goes to the device.
    CHECK(cudaMemcpy(device_a, a, bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(device_b, b, bytes, cudaMemcpyHostToDevice));

    // Step 5: the launch, with enough blocks for all elements. It returns at once.
    const int threads = 256;
    const int blocks = (n + threads - 1) / threads;
    vecadd<<<blocks, threads>>>(device_a, device_b, device_c, n);
    CHECK(cudaGetLastError());

    // Step 6: wait for the kernel. What went wrong in it is told here.
    CHECK(cudaDeviceSynchronize());

    // Step 7: the result comes back.
    CHECK(cudaMemcpy(c, device_c, bytes, cudaMemcpyDeviceToHost));

    int wrong = 0;
    for (int i = 0; i < n; ++i) wrong += c[i] != a[i] + b[i];
    std::printf("%d elements in %d blocks of %d threads: %d wrong\n", n, blocks, threads, wrong);

    // Step 8: everything is given back.
    CHECK(cudaFree(device_a));
    CHECK(cudaFree(device_b));
    CHECK(cudaFree(device_c));
    std::free(a);
    std::free(b);
    std::free(c);
    return wrong == 0 ? 0 : 1;
}
