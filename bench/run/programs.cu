// The kernels of bench_run, and the program that launches one of them: KERNEL GRID_X GRID_Y BLOCK_X BLOCK_Y N LAUNCHES.
// bench_run launches the same kernels on the engine alone.
#include <cstdio>
#include <cstdlib>
#include <cstring>

extern "C" __global__ void add(float* out, const float* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] + in[n - 1 - i];
}
extern "C" __global__ void matmul(float* out, const float* in, int n) {  // naive
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < n; ++k) sum += in[y * n + k] * in[k * n + x];
    out[y * n + x] = sum;
}
extern "C" __global__ void tiled(float* out, const float* in, int n) {
    __shared__ float a[16][16], b[16][16];
    const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    float sum = 0;
    for (int t = 0; t < n; t += 16) {
        a[threadIdx.y][threadIdx.x] = in[y * n + t + threadIdx.x];
        b[threadIdx.y][threadIdx.x] = in[(t + threadIdx.y) * n + x];
        __syncthreads();
        for (int k = 0; k < 16; ++k) sum += a[threadIdx.y][k] * b[k][threadIdx.x];
        __syncthreads();
    }
    out[y * n + x] = sum;
}
extern "C" __global__ void transpose(float* out, const float* in, int n) {
    __shared__ float tile[32][33];
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8) tile[threadIdx.y + k][threadIdx.x] = in[(y + k) * n + x];
    __syncthreads();
    const int u = blockIdx.y * 32 + threadIdx.x, v = blockIdx.x * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8) out[(v + k) * n + u] = tile[threadIdx.x][threadIdx.y + k];
}
extern "C" __global__ void diverge(float* out, const float* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = in[i % n];
    for (int k = 0; k < (i * 7) % 64; ++k) v = v * 0.5f + 1.0f;
    out[i % n] = v;
}

int main(int argc, char** argv) {
    if (argc != 8) return std::puts("KERNEL GRID_X GRID_Y BLOCK_X BLOCK_Y N LAUNCHES"), 2;
    const char* name = argv[1];
    const dim3 grid(std::atoi(argv[2]), std::atoi(argv[3])), block(std::atoi(argv[4]), std::atoi(argv[5]));
    const int n = std::atoi(argv[6]), launches = std::atoi(argv[7]);
    const size_t bytes = (std::strcmp(name, "add") && std::strcmp(name, "diverge") ? size_t(n) * n : size_t(n)) * 4;
    auto* kernel = !std::strcmp(name, "add") ? add : !std::strcmp(name, "matmul") ? matmul : !std::strcmp(name, "tiled") ? tiled
                   : !std::strcmp(name, "transpose") ? transpose : diverge;
    float *out, *in;
    cudaMalloc((void**)&out, bytes), cudaMalloc((void**)&in, bytes);
    cudaMemset(in, 0, bytes);
    for (int k = 0; k < launches; ++k) kernel<<<grid, block>>>(out, in, n);
    return cudaDeviceSynchronize() != cudaSuccess;
}
