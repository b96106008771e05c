// Few blocks that stream: whole rows each, strips of columns, rows under a mask; and how far memory is for one thread.
#include "own.hpp"

namespace {

__device__ float sum_of(float4 v) { return v.x + v.y + v.z + v.w; }

/// Four words where the element is one of the row's, as Triton writes a load under a mask: its words are zero otherwise.
__device__ float4 masked(const float4* from, bool here) {
    float4 v;
    asm volatile(
        "{\n\t.reg .pred p;\n\tsetp.ne.u32 p, %5, 0;\n\tmov.f32 %0, 0f00000000;\n\tmov.f32 %1, 0f00000000;\n\t"
        "mov.f32 %2, 0f00000000;\n\tmov.f32 %3, 0f00000000;\n\t@p ld.global.v4.f32 {%0, %1, %2, %3}, [%4];\n\t}"
        : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
        : "l"(from), "r"(static_cast<unsigned>(here)));
    return v;
}

}  // namespace

// A block for each row, `U` loads of a thread at once.
template <int U>
__global__ void stream_rows(float* to, const float4* from, int width4) {
    const float4* row = from + static_cast<std::size_t>(blockIdx.x) * width4;
    float sum = 0;
    for (int i = threadIdx.x; i < width4; i += U * blockDim.x) {
        float4 v[U];
#pragma unroll
        for (int k = 0; k < U; ++k) v[k] = row[i + k * blockDim.x];
#pragma unroll
        for (int k = 0; k < U; ++k) sum += sum_of(v[k]);
    }
    to[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// A block for each strip of 64 columns of a matrix, 8 `U` rows at once.
template <int U>
__global__ void stream_strips(float* to, const float4* from, int rows, int width4) {
    const float4* at = from + blockIdx.x * 16 + threadIdx.x % 16 + (threadIdx.x / 16) * static_cast<std::size_t>(width4);
    float sum = 0;
    for (int r = 0; r < rows; r += 8 * U) {
        float4 v[U];
#pragma unroll
        for (int k = 0; k < U; ++k) v[k] = at[(r + 8 * k) * static_cast<std::size_t>(width4)];
#pragma unroll
        for (int k = 0; k < U; ++k) sum += sum_of(v[k]);
    }
    to[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// The same rows under a mask, once or several times.
template <int U>
__global__ void masked_rows(float* to, const float4* from, int width4, int times) {
    const float4* row = from + static_cast<std::size_t>(blockIdx.x) * width4;
    float sum = 0;
    for (int t = 0; t < times; ++t)
        for (int at = 0; at < width4; at += U * blockDim.x) {
            float4 v[U];
#pragma unroll
            for (int k = 0; k < U; ++k) {
                const int i = at + k * blockDim.x + threadIdx.x;
                v[k] = masked(row + i, i < width4);
            }
#pragma unroll
            for (int k = 0; k < U; ++k) sum = sum * 0.5f + sum_of(v[k]);
        }
    to[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// Rows of words, a load after the other.
__global__ void words_of_rows(float* to, const float* from, int width) {
    const float* row = from + static_cast<std::size_t>(blockIdx.x) * width;
    float sum = 0;
    for (int i = threadIdx.x; i < width; i += blockDim.x) sum += row[i];
    to[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// A thread that goes from place to place, `step` words apart.
__global__ void walk(unsigned* to, const unsigned* from, unsigned step, int steps) {
    unsigned at = blockIdx.x * 65536;
    for (int k = 0; k < steps; ++k) at = from[at] + at + step;
    to[blockIdx.x] = at;
}

int main() {
    const std::size_t words = std::size_t{1} << 26;
    float* f = floats(1 << 20);
    float* from = nullptr;
    CUDA_CHECK(cudaMalloc(&from, words * sizeof(float)));
    CUDA_CHECK(cudaMemset(from, 0, words * sizeof(float)));
    const auto* v = reinterpret_cast<const float4*>(from);
    for (const int blocks : {1, 4, 16, 64, 132}) {
        stream_rows<1><<<blocks, 128>>>(f, v, 1 << 14);
        stream_rows<4><<<blocks, 128>>>(f, v, 1 << 15);
        stream_rows<1><<<blocks, 512>>>(f, v, 1 << 16);
        stream_rows<4><<<blocks, 512>>>(f, v, 1 << 16);
        stream_rows<4><<<blocks, 1024>>>(f, v, 1 << 16);
        words_of_rows<<<blocks, 256>>>(f, from, 1 << 16);
        words_of_rows<<<blocks, 1024>>>(f, from, 1 << 17);
    }
    for (const int blocks : {4, 32, 128}) {
        stream_strips<1><<<blocks, 128>>>(f, v, 4096, 2048);
        stream_strips<4><<<blocks, 128>>>(f, v, 4096, 2048);
        stream_strips<8><<<blocks, 128>>>(f, v, 4096, 2048);
        stream_strips<4><<<blocks, 128>>>(f, v, 4096, 512);
    }
    for (const int blocks : {4, 16, 132}) {
        masked_rows<1><<<blocks, 256>>>(f, v, 16384, 1);
        masked_rows<4><<<blocks, 256>>>(f, v, 16384, 1);
        masked_rows<4><<<blocks, 256>>>(f, v, 16384, 3);
        masked_rows<4><<<blocks, 256>>>(f, v, 5000, 3);
        masked_rows<8><<<blocks, 512>>>(f, v, 16384, 2);
    }
    const auto* u = reinterpret_cast<const unsigned*>(from);
    for (const unsigned step : {32u, 1024u, 65536u})
        for (const int blocks : {1, 132}) walk<<<blocks, 1>>>(reinterpret_cast<unsigned*>(f), u, step, 256);
    finish();
    return 0;
}
