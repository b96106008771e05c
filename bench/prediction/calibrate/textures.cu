// Fetches of textures and accesses of surfaces: latency from the first level, and what a multiprocessor does per cycle
// where lanes are neighbours or apart, by the element or with a filter.
#include <cstdint>

#include "calibrate.hpp"

namespace {

constexpr int kWide = 1024, kHigh = 64, kSteps = 256, kThreads = 512;

enum Form { element, row, filtered };
const char* const kForms[] = {"tex1Dfetch", "tex2D", "tex2D, linear filter"};

template <int F>
__device__ float fetch(cudaTextureObject_t texture, float x, float y) {
    return F == element ? tex1Dfetch<float>(texture, static_cast<int>(x)) : tex2D<float>(texture, x + 0.5f, y + 0.5f);
}

/// One thread, each fetch at a place that the result of the one before gives (all are 0).
template <int F>
__global__ void chain(cudaTextureObject_t texture, long long* cycles, float* sink) {
    float x = 0;
    for (int i = 0; i < 16; ++i) x = fetch<F>(texture, x, 0);
    const long long begin = clock64();
#pragma unroll 16
    for (int i = 0; i < kSteps; ++i) x = fetch<F>(texture, x, 0);
    *cycles = clock64() - begin, *sink = x;
}

/// All warps of a multiprocessor, lanes `apart` elements from each other, within what the first level keeps.
template <int F>
__global__ void many(cudaTextureObject_t texture, int apart, long long* cycles, float* sink) {
    float sum = 0;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    __syncthreads();
    const long long begin = clock64();
#pragma unroll 8
    for (int i = 0; i < kSteps; ++i)
        sum += fetch<F>(texture, static_cast<float>((lane * apart + i) % kWide), static_cast<float>(warp % 4));
    __syncthreads();
    if (threadIdx.x == 0) cycles[blockIdx.x] = clock64() - begin;
    sink[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void surfaces(cudaSurfaceObject_t surface, bool writes, long long* cycles, float* sink) {
    float sum = 0;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    __syncthreads();
    const long long begin = clock64();
    for (int i = 0; i < kSteps; ++i) {
        float v = sum;
        const int x = (lane + i) % kWide * 4;
        if (writes)
            surf2Dwrite(v, surface, x, warp % 4);
        else
            surf2Dread(&v, surface, x, warp % 4);
        sum += v;
    }
    __syncthreads();
    if (threadIdx.x == 0) cycles[blockIdx.x] = clock64() - begin;
    sink[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

struct Objects {
    cudaTextureObject_t linear, nearest, filter;
    cudaSurfaceObject_t surface;
};

Objects objects() {
    Objects o{};
    float* data = nullptr;
    CUDA_CHECK(cudaMalloc(&data, kWide * kHigh * 4));
    CUDA_CHECK(cudaMemset(data, 0, kWide * kHigh * 4));
    const auto format = cudaCreateChannelDesc<float>();
    cudaResourceDesc memory{};
    memory.resType = cudaResourceTypeLinear;
    memory.res.linear.devPtr = data, memory.res.linear.desc = format, memory.res.linear.sizeInBytes = kWide * kHigh * 4;
    cudaTextureDesc how{};
    CUDA_CHECK(cudaCreateTextureObject(&o.linear, &memory, &how, nullptr));
    cudaArray_t array = nullptr;
    CUDA_CHECK(cudaMallocArray(&array, &format, kWide, kHigh, cudaArraySurfaceLoadStore));
    CUDA_CHECK(cudaMemcpy2DToArray(array, 0, 0, data, kWide * 4, kWide * 4, kHigh, cudaMemcpyDeviceToDevice));
    cudaResourceDesc of_array{};
    of_array.resType = cudaResourceTypeArray, of_array.res.array.array = array;
    CUDA_CHECK(cudaCreateTextureObject(&o.nearest, &of_array, &how, nullptr));
    how.filterMode = cudaFilterModeLinear;
    CUDA_CHECK(cudaCreateTextureObject(&o.filter, &of_array, &how, nullptr));
    CUDA_CHECK(cudaCreateSurfaceObject(&o.surface, &of_array));
    return o;
}

/// Median and spread (half of the range over the median) of five runs, as cycles for each of `number`.
template <class Run>
void write(Rows& rows, const Run& run, long long* cycles, double number) {
    std::vector<double> all;
    for (int i = 0; i < 6; ++i) {
        run();
        CUDA_CHECK(cudaDeviceSynchronize());
        if (i > 0) all.push_back(static_cast<double>(cycles[0]) / number);
    }
    const auto [least, most] = std::minmax_element(all.begin(), all.end());
    const double middle = median(all);
    rows.field("cycles", middle).field("spread", (*most - *least) / 2 / middle).end();
}

template <int F>
void form(Rows& rows, cudaTextureObject_t texture, int blocks, long long* cycles, float* sink) {
    rows.begin("texture latency").field("form", kForms[F]);
    write(rows, [&] { chain<F><<<1, 1>>>(texture, cycles, sink); }, cycles, kSteps);
    for (const int apart : {1, 2, 8, 32}) {
        rows.begin("texture throughput, per warp and multiprocessor").field("form", kForms[F]).field("apart", apart);
        write(rows, [&] { many<F><<<blocks, kThreads>>>(texture, apart, cycles, sink); }, cycles,
              kSteps * kThreads / 32.0);
    }
}

}  // namespace

void measure_textures(Rows& rows) {
    cudaDeviceProp properties;
    CUDA_CHECK(cudaGetDeviceProperties(&properties, 0));
    const int blocks = properties.multiProcessorCount;
    long long* cycles = nullptr;
    float* sink = nullptr;
    CUDA_CHECK(cudaMallocManaged(&cycles, blocks * sizeof(long long)));
    CUDA_CHECK(cudaMalloc(&sink, blocks * kThreads * sizeof(float)));
    const Objects o = objects();
    form<element>(rows, o.linear, blocks, cycles, sink);
    form<row>(rows, o.nearest, blocks, cycles, sink);
    form<filtered>(rows, o.filter, blocks, cycles, sink);
    for (const bool writes : {false, true}) {
        rows.begin("surface throughput, per warp and multiprocessor").field("form", writes ? "sust" : "suld");
        write(rows, [&] { surfaces<<<blocks, kThreads>>>(o.surface, writes, cycles, sink); }, cycles,
              kSteps * kThreads / 32.0);
    }
}
