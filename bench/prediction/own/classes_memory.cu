// Kernels in classes that what lies behind the second level decides: gathers beyond it and beyond what addresses are
// translated at once, scattered atomics, hash tables, and what of written memory leaves the second level.
#include "own.hpp"

__device__ unsigned hashed(unsigned x) {
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}

__device__ std::size_t place(unsigned x, std::size_t words) {
    return static_cast<std::size_t>((static_cast<unsigned long long>(hashed(x)) << 32 | hashed(x + 0x9e3779b9u)) %
                                    words);
}

template <int Each>
__global__ void gather_far(float* out, const float* from, std::size_t words) {
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
#pragma unroll
    for (int k = 0; k < Each; ++k) sum += from[place(thread * Each + k, words)];
    out[thread] = sum;
}

// Each place follows from what was read at the one before.
__global__ void chase_far(unsigned* out, const unsigned* from, std::size_t words, int steps) {
    unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < steps; ++k) at = at * 1664525u + 1013904223u + (from[place(at, words)] & 1u);
    out[blockIdx.x * blockDim.x + threadIdx.x] = at;
}

// Warps read rows of 128 to 1024 bytes at random places, as tables of vectors are read.
__global__ void rows_far(float* out, const float* from, std::size_t rows, int width) {
    const unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    const float* row = from + place(warp, rows) * width;
    float sum = 0;
    for (int i = lane; i < width; i += 32) sum += row[i];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

template <class T>
__global__ void add_far(T* sums, unsigned words, int each) {
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < each; ++k) atomicAdd(sums + hashed(thread * each + k) % words, T(1));
}

// The old value is wanted.
__global__ void take_far(unsigned* sums, unsigned* out, unsigned words) {
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    out[thread] = atomicAdd(sums + hashed(thread) % words, 1u);
}

__global__ void insert_keys(unsigned* table, unsigned mask, unsigned keys) {
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    if (thread >= keys) return;
    const unsigned key = thread + 1;
    unsigned at = hashed(key) & mask;
    for (;;) {
        const unsigned old = atomicCAS(table + at, 0u, key);
        if (old == 0 || old == key) return;
        at = (at + 1) & mask;
    }
}

__global__ void find_keys(unsigned* out, const unsigned* table, unsigned mask) {
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, key = thread + 1;
    unsigned at = hashed(key) & mask;
    while (table[at] != 0 && table[at] != key) at = (at + 1) & mask;
    out[thread] = at;
}

__global__ void fill_4(float4* to, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = make_float4(i, i, i, i);
}

__global__ void add_4(float4* to, const float4* a, const float4* b, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float4 x = a[i], y = b[i];
    to[i] = make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
}

__global__ void update_4(float4* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 x = in[i];
    x.x += 1, x.y += 1, x.z += 1, x.w += 1;
    in[i] = x;
}

__global__ void scatter_far(float* to, std::size_t words) {
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    to[place(thread, words)] = thread;
}

int main() {
    const std::size_t most = std::size_t{1} << 32;  // bytes
    float *from = nullptr, *to = nullptr;
    CUDA_CHECK(cudaMalloc(&from, most));
    CUDA_CHECK(cudaMalloc(&to, 256 << 20));
    auto* words = reinterpret_cast<unsigned*>(to);
    const std::size_t mib = std::size_t{1} << 18;  // words
    for (const std::size_t size : {8, 24, 48, 96, 256, 1024, 4096}) {
        float* table = nullptr;
        CUDA_CHECK(cudaMalloc(&table, size << 20));
        gather_far<1><<<2048, 256>>>(to, table, size * mib);
        gather_far<8><<<512, 256>>>(to, table, size * mib);
        chase_far<<<132, 256>>>(words, reinterpret_cast<unsigned*>(table), size * mib, 16);
        rows_far<<<4096, 256>>>(to, table, size * mib / 64, 64);
        scatter_far<<<2048, 256>>>(table, size * mib);
        CUDA_CHECK(cudaFree(table));
    }
    for (const unsigned size : {1u << 10, 1u << 14, 1u << 18, 1u << 22, 1u << 25}) {
        add_far<unsigned><<<1024, 256>>>(words, size, 2);
        add_far<float><<<1024, 256>>>(to, size, 2);
        take_far<<<1024, 256>>>(words, reinterpret_cast<unsigned*>(from), size);
    }
    for (const unsigned size : {1u << 16, 1u << 20, 1u << 23}) {
        for (const unsigned eighths : {4u, 7u}) {
            const unsigned keys = std::min(1u << 19, size / 8 * eighths);
            CUDA_CHECK(cudaMemset(words, 0, std::size_t{size} * 4));
            insert_keys<<<(keys + 255) / 256, 256>>>(words, size - 1, keys);
            find_keys<<<keys / 256, 256>>>(reinterpret_cast<unsigned*>(from), words, size - 1);
        }
    }
    for (const int size : {16, 28, 40, 64, 128}) {
        const int n = size << 16;
        fill_4<<<n / 256, 256>>>(reinterpret_cast<float4*>(to), n);
    }
    for (const int size : {8, 12, 20, 32, 64}) {
        const int n = size << 16;
        auto* a = reinterpret_cast<const float4*>(from);
        add_4<<<n / 256, 256>>>(reinterpret_cast<float4*>(to), a, a + n, n);
        update_4<<<n / 256, 256>>>(reinterpret_cast<float4*>(to), n);
    }
    finish();
    return 0;
}
