// What warps do to each other at words of shared memory that loops of compare-and-swaps add to, and which stores leave
// together.
#include <cstdint>

#include "calibrate.hpp"

namespace {

constexpr int kRepeats = 64, kThreads = 256;

/// Numbers with exponents have no unit of their own in shared memory. Lane l of a warp goes to word l % words; warps
/// share the words, or have their own.
__global__ void compare_loops(int words, bool own, int warps, long long* cycles, float* sink) {
    __shared__ float sums[32 * 33];
    for (int i = threadIdx.x; i < 32 * 33; i += blockDim.x) sums[i] = 0;
    __syncthreads();
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const long long begin = clock64();
    if (warp < warps)
        for (int i = 0; i < kRepeats; ++i) atomicAdd(&sums[(own ? warp * 33 : 0) + lane % words], 1.0f);
    __syncthreads();
    if (threadIdx.x == 0) cycles[blockIdx.x] = clock64() - begin;
    sink[blockIdx.x * blockDim.x + threadIdx.x] = sums[threadIdx.x];
}

/// Each thread writes the `fields` words of a structure of `stride` words, one after the other.
__global__ void structures(float* to, int fields, int stride, unsigned threads) {
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < threads; i += gridDim.x * blockDim.x) {
        float* const at = to + static_cast<std::size_t>(i) * stride;
        for (int k = 0; k < fields; ++k) asm volatile("st.global.f32 [%0], %1;" ::"l"(at + k), "f"(1.0f) : "memory");
    }
}

}  // namespace

void measure_joining(Rows& rows) {
    cudaDeviceProp properties;
    CUDA_CHECK(cudaGetDeviceProperties(&properties, 0));
    const int blocks = properties.multiProcessorCount;
    long long* cycles = nullptr;
    float *sink = nullptr, *memory = nullptr;
    CUDA_CHECK(cudaMallocManaged(&cycles, blocks * sizeof(long long)));
    CUDA_CHECK(cudaMalloc(&sink, blocks * kThreads * sizeof(float)));
    for (const bool own : {true, false})
        for (const int words : {1, 4, 32})
            for (const int warps : {1, 2, 4, 8}) {
                compare_loops<<<blocks, kThreads>>>(words, own, warps, cycles, sink);
                CUDA_CHECK(cudaDeviceSynchronize());
                rows.begin("compare-and-swap loops in shared memory").field("words", words).field("warps", warps);
                rows.field("own", own).field("cycles", static_cast<double>(cycles[0]) / kRepeats).end();
            }
    // 24 MiB: what the second level keeps, so that the way to it is the limit.
    constexpr unsigned kWords = 6u << 20;
    CUDA_CHECK(cudaMalloc(&memory, kWords * sizeof(float)));
    for (const int stride : {1, 2, 5, 8, 16, 32})
        for (const int fields : {1, 2, 4, 5, 8}) {
            if (fields > stride) continue;
            const unsigned threads = kWords / stride;
            const double s = seconds([&] { structures<<<blocks * 8, kThreads>>>(memory, fields, stride, threads); });
            rows.begin("stores of structures").field("stride", stride).field("fields", fields);
            rows.field("words_per_second", double(threads) * fields / s).end();
        }
    CUDA_CHECK(cudaFree(memory));
}
