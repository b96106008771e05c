#include "check.h"
// Kernels whose course follows from their arguments, from what memory has, or from both, each launched several times.
__device__ float factor = 2;
__constant__ int shift = 3;

__global__ void product(float* c, const float* a, int n) {
    __shared__ float tile[16][17];
    const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < n; k += 16) {
        tile[threadIdx.y][threadIdx.x] = a[y * n + k + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < 16; ++j) sum += tile[threadIdx.y][j] * a[(k + j) * n + x];
        __syncthreads();
    }
    c[y * n + x] = sum * factor;
}
__global__ void column(float* c, const float* a, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i * n] = sqrtf(a[i * n]) + shift;
}
__global__ void gather(float* c, const float* a, const int* at, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < at[i] % 7; ++k) sum += a[at[(i + k) % n]];
    c[i] = sum;
}
__global__ void count(unsigned* bins, const int* at) {
    __shared__ unsigned here[32], all;
    if (threadIdx.x < 32) here[threadIdx.x] = 0;
    if (threadIdx.x == 0) all = 0;
    __syncthreads();
    atomicAdd(&here[threadIdx.x % 32], static_cast<unsigned>(at[threadIdx.x]));
    atomicAdd(&all, 1u);
    __syncthreads();
    if (threadIdx.x < 32) atomicAdd(&bins[threadIdx.x], here[threadIdx.x] + all);
}

int main() {
    const int n = 128;
    float *a, *c;
    int* at;
    unsigned* bins;
    OK(cudaMalloc(&a, n * n * 4));
    OK(cudaMalloc(&c, n * n * 4));
    OK(cudaMalloc(&at, n * n * 4));
    OK(cudaMalloc(&bins, 32 * 4));
    OK(cudaMemset(bins, 0, 32 * 4));
    static float host[n * n];
    static int places[n * n];
    for (int i = 0; i < n * n; ++i) host[i] = float(i % 13), places[i] = (i * 37 + 11) % (n * n);
    OK(cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(at, places, sizeof places, cudaMemcpyHostToDevice));
    for (int round = 0; round < 3; ++round) {
        product<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(c, a, n);
        column<<<1, n>>>(c, a, n - 16 * round);
        gather<<<n * n / 256, 256>>>(c, a, at, n * n);
        count<<<64, 128>>>(bins, at);
    }
    OK(cudaMemcpy(host, c, sizeof host, cudaMemcpyDeviceToHost));
    double sum = 0;
    for (int i = 0; i < n * n; ++i) sum += host[i];
    std::printf("sum %.17g\npassed\n", sum);
}
