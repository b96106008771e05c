// Kernels bound by memory: patterns of access in DRAM, L2, L1, shared and constant memory, atomics, latency.
#include "own.hpp"

__global__ void copy_1(float* to, const float* from, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = from[i];
}

__global__ void copy_4(float4* to, const float4* from, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = from[i];
}

__global__ void copy_bytes(unsigned char* to, const unsigned char* from, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = from[i] + 1;
}

// A grid as large as the device that walks along the array.
__global__ void sum_grid_stride(float* out, const float* from, int n) {
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += from[i];
    for (int o = 16; o > 0; o /= 2) sum += __shfl_down_sync(0xffffffffu, sum, o);
    if (threadIdx.x % 32 == 0) atomicAdd(out, sum);
}

template <int Stride>
__global__ void strided(float* to, const float* from, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = from[static_cast<unsigned>(i) * Stride % n];
}

__global__ void gather(float* to, const float* from, const unsigned* index, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = from[index[i] % n];
}

__global__ void scatter(float* to, const float* from, const unsigned* index, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[index[i] % n] = from[i];
}

template <unsigned Size>
__global__ void chase(unsigned* out, const unsigned* next, int steps) {
    unsigned x = (blockIdx.x * blockDim.x + threadIdx.x) * 37u % Size;
    for (int i = 0; i < steps; ++i) x = next[x];
    out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

__global__ void structures(float* to, const float* from, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float* s = from + i * 7;
    to[i] = s[0] + s[1] * s[2] - s[3] + s[4] * s[5] + s[6];
}

__global__ void transpose_naive(float* to, const float* from, int width) {
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    to[x * width + y] = from[y * width + x];
}

template <int Pad>
__global__ void transpose_tiled(float* to, const float* from, int width) {
    __shared__ float tile[32][32 + Pad];
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32;
    for (int j = threadIdx.y; j < 32; j += 8) tile[j][threadIdx.x] = from[(y + j) * width + x];
    __syncthreads();
    const int tx = y + threadIdx.x, ty = blockIdx.x * 32;
    for (int j = threadIdx.y; j < 32; j += 8) to[(ty + j) * width + tx] = tile[threadIdx.x][j];
}

__global__ void table_in_l1(unsigned* out, const unsigned* table, int steps) {
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = 0; i < steps; ++i) x = x * 9u + __ldg(table + x % 2048);
    out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

__constant__ float coefficients[1024];

template <int Spread>
__global__ void constants(float* out, int steps) {
    float sum = 0;
    for (int i = 0; i < steps; ++i) sum += coefficients[(i + threadIdx.x * Spread) % 1024];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

template <int Stride>
__global__ void bank_conflicts(float* out, int steps) {
    extern __shared__ float room[];
    for (int i = threadIdx.x; i < 8192; i += blockDim.x) room[i] = i;
    __syncthreads();
    float sum = 0;
    int at = threadIdx.x * Stride;
    for (int i = 0; i < steps; ++i) {
        sum += room[at % 8192];
        at += 32;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

template <unsigned Mask>
__global__ void histogram_shared(unsigned* bins, const unsigned* from, int n) {
    __shared__ unsigned local[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) local[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        atomicAdd(local + (from[i] & Mask), 1u);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x) atomicAdd(bins + i, local[i]);
}

template <unsigned Mask>
__global__ void histogram_global(unsigned* bins, const unsigned* from, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(bins + (from[i] & Mask), 1u);
}

__global__ void lock_free_max(unsigned* best, const unsigned* from, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned seen = best[i % 64];
    while (from[i] > seen) {
        const unsigned old = atomicCAS(best + i % 64, seen, from[i]);
        if (old == seen) break;
        seen = old;
    }
}

__global__ void write_only(float4* to, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = make_float4(i, 1, 2, 3);
}

__global__ void stencil_27(float* to, const float* from, int n) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y + 1, z = blockIdx.z + 1;
    if (x >= n - 1) return;
    float sum = 0;
    for (int dz = -1; dz <= 1; ++dz) {
        for (int dy = -1; dy <= 1; ++dy) {
            for (int dx = -1; dx <= 1; ++dx) sum += from[((z + dz) * n + y + dy) * n + x + dx];
        }
    }
    to[(z * n + y) * n + x] = sum * (1.0f / 27);
}

// One warp a row.
__global__ void spmv_rows(float* y, const float* values, const unsigned* columns, const unsigned* starts,
                          const float* x, int rows) {
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    float sum = 0;
    for (unsigned k = starts[row] + lane; k < starts[row + 1]; k += 32) sum += values[k] * x[columns[k]];
    for (int o = 16; o > 0; o /= 2) sum += __shfl_down_sync(0xffffffffu, sum, o);
    if (lane == 0) y[row] = sum;
}

template <unsigned Size>
void chases(unsigned* out) {
    const unsigned* next = filled<unsigned>(
        Size, [](std::size_t i, std::uint32_t) { return static_cast<unsigned>((i * 1664525u + 1013904223u) % Size); });
    chase<Size><<<1, 32>>>(out, next, 200);
    if (Size > 1u << 16) chase<Size><<<132, 128>>>(out, next, 100);
}

int main() {
    const int most = 1 << 22;
    float *from = floats(most), *to = floats(most);
    const unsigned* index = filled<unsigned>(most, [](std::size_t, std::uint32_t r) { return r; });
    unsigned* words = filled<unsigned>(most, [](std::size_t, std::uint32_t) { return 0u; });
    for (const int n : {1 << 14, 1 << 18, most}) {
        copy_1<<<n / 256, 256>>>(to, from, n);
        copy_4<<<(n / 4 + 255) / 256, 256>>>(reinterpret_cast<float4*>(to), reinterpret_cast<const float4*>(from),
                                             n / 4);
    }
    copy_bytes<<<most / 512, 512>>>(reinterpret_cast<unsigned char*>(to), reinterpret_cast<const unsigned char*>(from),
                                    most);
    for (const int blocks : {132, 1056}) sum_grid_stride<<<blocks, 256>>>(to, from, most);
    strided<2><<<2048, 256>>>(to, from, most);
    strided<8><<<2048, 256>>>(to, from, most);
    strided<33><<<2048, 256>>>(to, from, most);
    strided<1024><<<2048, 256>>>(to, from, most);
    for (const int n : {1 << 17, 1 << 21}) {
        gather<<<n / 256, 256>>>(to, from, index, n);
        scatter<<<n / 256, 256>>>(to, from, index, n);
    }
    chases<1u << 11>(words);
    chases<1u << 17>(words);
    chases<1u << 22>(words);
    for (const int n : {1 << 15, 1 << 19}) structures<<<n / 256, 256>>>(to, from, n);
    for (const int width : {256, 2048}) {
        transpose_naive<<<dim3(width / 32, width / 8), dim3(32, 8)>>>(to, from, width);
        transpose_tiled<0><<<dim3(width / 32, width / 32), dim3(32, 8)>>>(to, from, width);
        transpose_tiled<1><<<dim3(width / 32, width / 32), dim3(32, 8)>>>(to, from, width);
    }
    for (const int blocks : {132, 528}) table_in_l1<<<blocks, 256>>>(words, index, 64);
    constants<0><<<264, 256>>>(to, 64);
    constants<1><<<264, 256>>>(to, 64);
    constants<17><<<264, 256>>>(to, 64);
    bank_conflicts<1><<<264, 256, 32768>>>(to, 200);
    bank_conflicts<2><<<264, 256, 32768>>>(to, 200);
    bank_conflicts<8><<<264, 256, 32768>>>(to, 200);
    bank_conflicts<32><<<264, 256, 32768>>>(to, 200);
    histogram_shared<0><<<264, 256>>>(words, index, 1 << 20);
    histogram_global<0><<<4096, 256>>>(words, index, 1 << 20);
    histogram_shared<15><<<264, 256>>>(words, index, 1 << 20);
    histogram_global<15><<<4096, 256>>>(words, index, 1 << 20);
    histogram_shared<255><<<264, 256>>>(words, index, 1 << 20);
    histogram_global<255><<<4096, 256>>>(words, index, 1 << 20);
    lock_free_max<<<256, 256>>>(words, index, 1 << 16);
    for (const int n : {1 << 16, 1 << 20}) write_only<<<n / 256, 256>>>(reinterpret_cast<float4*>(to), n);
    for (const int n : {34, 130}) stencil_27<<<dim3(n / 32, n - 2, n - 2), 32>>>(to, from, n);
    for (const int rows : {2000, 20000}) {
        // Rows of 8 to 135 elements.
        std::vector<unsigned> begin(rows + 1, 0);
        std::uint32_t state = 99;
        for (int r = 0; r < rows; ++r) begin[r + 1] = begin[r] + 8 + next_random(state) % 128;
        const unsigned* starts = filled<unsigned>(begin.size(), [&](std::size_t i, std::uint32_t) { return begin[i]; });
        const unsigned* columns =
            filled<unsigned>(begin.back(), [rows](std::size_t, std::uint32_t r) { return r % rows; });
        spmv_rows<<<(rows + 7) / 8, 256>>>(to, from, columns, starts, from, rows);
    }
    finish();
    return 0;
}
