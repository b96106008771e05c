// Kernels whose blocks are alike, differ at the border, differ by their data, and wait for each other. Run whole and sampled by
// the test, which compares what was counted; so nothing is checked here.
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

__global__ void alike(float* out, const float* in, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    out[y * n + x] = in[x * n + y];
}
__global__ void border(float* out, const float* in, int n) {  // 5-point stencil; the border copies, and more often than once
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x == 0 || y == 0 || x == n - 1 || y == n - 1) {
        for (int k = 0; k < 20; ++k) out[y * n + x] += in[y * n + x] * k;
        return;
    }
    out[y * n + x] = in[y * n + x - 1] + in[y * n + x + 1] + in[(y - 1) * n + x] + in[(y + 1) * n + x];
}
__global__ void by_data(int* out, const int* rows, const int* values) {  // sums of rows of different lengths
    int i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    for (int k = rows[i]; k < rows[i + 1]; ++k) sum += values[k];
    out[i] = sum;
}
__global__ void in_turn(volatile int* flags) {
    if (threadIdx.x == 0) {
        while (blockIdx.x > 0 && flags[blockIdx.x - 1] == 0) {}
        flags[blockIdx.x] = 1;
    }
}

int main() {
    constexpr int n = 1024, rows = 1 << 18;
    float *a, *b;
    cudaMalloc((void**)&a, n * n * 4), cudaMalloc((void**)&b, n * n * 4);
    std::vector<int> start(rows + 1);
    unsigned state = 7;
    for (int i = 0; i < rows; ++i) {
        if (i % 64 == 0) state = state * 1664525u + 1013904223u;
        start[i + 1] = start[i] + 2 + static_cast<int>((state >> 26) & 15);
    }
    int *r, *v, *o, *flags;
    cudaMalloc((void**)&r, start.size() * 4), cudaMalloc((void**)&v, start.back() * 4), cudaMalloc((void**)&o, rows * 4), cudaMalloc((void**)&flags, 4000);
    cudaMemcpy(r, start.data(), start.size() * 4, cudaMemcpyHostToDevice);
    cudaMemset(v, 0, start.back() * 4), cudaMemset(flags, 0, 4000), cudaMemset(a, 0, n * n * 4), cudaMemset(b, 0, n * n * 4);
    alike<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(b, a, n);
    border<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(b, a, n);
    by_data<<<rows / 64, 64>>>(o, r, v);
    in_turn<<<1000, 32>>>(flags);
    const bool ended = cudaDeviceSynchronize() == cudaSuccess;
    std::puts(ended ? "passed" : cudaGetErrorString(cudaGetLastError()));
    return !ended;
}
