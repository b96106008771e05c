// Kernels in classes that differ from what a sample of blocks, or of lanes, shows at once: blocks of unequal work,
// lanes that leave loops at different times, error functions, few blocks with long rows, counting sorts and histograms.
#include "own.hpp"

__device__ unsigned hashed(unsigned x) {
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}

// Block b sums a row of b elements of a triangle.
__global__ void triangle_rows(float* out, const float* from, int n) {
    const float* row = from + static_cast<unsigned>(blockIdx.x) * 7919u % n;
    float sum = 0;
    for (unsigned i = threadIdx.x; i < blockIdx.x; i += blockDim.x) sum += row[i];
    for (int o = 16; o > 0; o /= 2) sum += __shfl_down_sync(0xffffffffu, sum, o);
    if (threadIdx.x % 32 == 0) atomicAdd(out + blockIdx.x, sum);
}

// One block of `every` computes `factor` times as long as the others.
__global__ void few_long_blocks(float* out, float a, int steps, int every, int factor) {
    const int count = hashed(blockIdx.x) % every == 0 ? steps * factor : steps;
    float x = threadIdx.x;
    for (int i = 0; i < count; ++i) x = fmaf(x, a, 1.0f);
    out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

// Rows of a sparse matrix of very unequal lengths, a block each.
__global__ void unequal_rows(float* out, const float* from, const unsigned* starts, int n) {
    float sum = 0;
    for (unsigned k = starts[blockIdx.x] + threadIdx.x; k < starts[blockIdx.x + 1]; k += blockDim.x)
        sum += from[k] * from[hashed(k) % n];
    for (int o = 16; o > 0; o /= 2) sum += __shfl_down_sync(0xffffffffu, sum, o);
    if (threadIdx.x % 32 == 0) atomicAdd(out + blockIdx.x, sum);
}

__global__ void collatz(unsigned* out, unsigned first) {
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long x = first + hashed(thread) % 100000u + 1;
    unsigned steps = 0;
    while (x != 1) {
        x = x % 2 ? 3 * x + 1 : x / 2;
        ++steps;
    }
    out[thread] = steps;
}

__global__ void escape(unsigned* out, int width, int most) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, x = i % width, y = i / width;
    const float a = -2.2f + 3.0f * x / width, b = -1.5f + 3.0f * y / width;
    float u = 0, v = 0;
    int steps = 0;
    for (; steps < most && u * u + v * v < 4; ++steps) {
        const float t = u * u - v * v + a;
        v = 2 * u * v + b;
        u = t;
    }
    out[i] = steps;
}

// Each lane goes along a list of its own length.
__global__ void lists(unsigned* out, const unsigned* next, unsigned mask) {
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned at = hashed(thread) & mask, sum = 0;
    const unsigned length = hashed(thread + 77u) % 48;
    for (unsigned k = 0; k < length; ++k) at = next[at] & mask, sum += at;
    out[thread] = sum;
}

__global__ void lower_bounds(unsigned* out, const unsigned* sorted, int n) {
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, key = hashed(thread);
    int low = 0, high = n;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (sorted[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    out[thread] = low;
}

template <int Which>
__global__ void error_functions(float* out, const float* from, int steps) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = from[i] - 1.0f, sum = 0;
    for (int k = 0; k < steps; ++k) {
        if (Which == 0) sum += erff(x);
        if (Which == 1) sum += erfcf(x);
        if (Which == 2) sum += normcdff(x);
        if (Which == 3) sum += erfinvf(x * 0.5f);
        if (Which == 4) sum += 0.5f * x * (1 + erff(x * 0.70710678f));
        if (Which == 5) sum += lgammaf(x + 2.0f);
        x += 0.01f;
    }
    out[i] = sum;
}

__global__ void error_of_doubles(double* out, int steps) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    double x = i * 1e-5 - 1.0, sum = 0;
    for (int k = 0; k < steps; ++k) sum += erf(x), x += 0.01;
    out[i] = sum;
}

// A block streams a long row twice: its largest element, then the sum of exponentials.
__global__ void row_softmax(float* to, const float* from, int width) {
    __shared__ float room[32];
    const float* row = from + static_cast<std::size_t>(blockIdx.x) * width;
    float most = -1e30f;
    for (int i = threadIdx.x; i < width; i += blockDim.x) most = fmaxf(most, row[i]);
    for (int o = 16; o > 0; o /= 2) most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, o));
    if (threadIdx.x % 32 == 0) room[threadIdx.x / 32] = most;
    __syncthreads();
    for (unsigned k = 0; k < blockDim.x / 32; ++k) most = fmaxf(most, room[k]);
    __syncthreads();
    float sum = 0;
    for (int i = threadIdx.x; i < width; i += blockDim.x) sum += __expf(row[i] - most);
    for (int o = 16; o > 0; o /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, o);
    if (threadIdx.x % 32 == 0) room[threadIdx.x / 32] = sum;
    __syncthreads();
    sum = 0;
    for (unsigned k = 0; k < blockDim.x / 32; ++k) sum += room[k];
    for (int i = threadIdx.x; i < width; i += blockDim.x)
        to[static_cast<std::size_t>(blockIdx.x) * width + i] = __expf(row[i] - most) / sum;
}

__global__ void row_norm(float* to, const float4* from, int width4) {
    const float4* row = from + static_cast<std::size_t>(blockIdx.x) * width4;
    float sum = 0;
    for (int i = threadIdx.x; i < width4; i += blockDim.x) {
        const float4 v = row[i];
        sum += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
    }
    for (int o = 16; o > 0; o /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, o);
    if (threadIdx.x % 32 == 0) atomicAdd(to + blockIdx.x, sum);
}

// Of 256 keys by block: how many of each there are, and then each element's place.
__global__ void count_keys(unsigned* counts, const unsigned* keys, int each) {
    __shared__ unsigned of[256];
    of[threadIdx.x] = 0;
    __syncthreads();
    const unsigned* mine = keys + blockIdx.x * each;
    for (int i = threadIdx.x; i < each; i += 256) atomicAdd(of + (mine[i] & 255u), 1u);
    __syncthreads();
    counts[threadIdx.x * gridDim.x + blockIdx.x] = of[threadIdx.x];
}

__global__ void place_keys(unsigned* to, const unsigned* keys, int each) {
    __shared__ unsigned at[256], first[256];
    at[threadIdx.x] = 0;
    __syncthreads();
    const unsigned* mine = keys + blockIdx.x * each;
    for (int i = threadIdx.x; i < each; i += 256) atomicAdd(at + (mine[i] & 255u), 1u);
    __syncthreads();
    for (int o = 1; o < 256; o *= 2) {
        const unsigned before = static_cast<int>(threadIdx.x) >= o ? at[threadIdx.x - o] : 0;
        __syncthreads();
        at[threadIdx.x] += before;
        __syncthreads();
    }
    first[threadIdx.x] = threadIdx.x == 0 ? 0 : at[threadIdx.x - 1];
    __syncthreads();
    for (int i = threadIdx.x; i < each; i += 256) {
        const unsigned key = mine[i];
        to[blockIdx.x * each + atomicAdd(first + (key & 255u), 1u)] = key;
    }
}

template <int Bins, int Copies>
__global__ void histogram_copies(unsigned* bins, const unsigned* from, int n, unsigned skew) {
    __shared__ unsigned of[Bins * Copies];
    for (int i = threadIdx.x; i < Bins * Copies; i += blockDim.x) of[i] = 0;
    __syncthreads();
    unsigned* mine = of + threadIdx.x / 32 % Copies * Bins;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const unsigned v = from[i];
        atomicAdd(mine + ((v >> 16 & 3u) < skew ? 5u : v % Bins), 1u);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < Bins; i += blockDim.x) {
        unsigned sum = 0;
        for (int c = 0; c < Copies; ++c) sum += of[c * Bins + i];
        if (sum) atomicAdd(bins + i, sum);
    }
}

// Bytes of an image, four in a word, as an image's histogram reads them.
__global__ void histogram_bytes(unsigned* bins, const uchar4* from, int n) {
    __shared__ unsigned of[256];
    of[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) {
        const uchar4 v = from[i];
        atomicAdd(of + v.x, 1u);
        atomicAdd(of + v.y, 1u);
        atomicAdd(of + v.z, 1u);
        atomicAdd(of + v.w, 1u);
    }
    __syncthreads();
    atomicAdd(bins + threadIdx.x, of[threadIdx.x]);
}

int main() {
    const int most = 1 << 22;
    float *from = floats(most), *to = floats(most);
    const unsigned* words = filled<unsigned>(most, [](std::size_t, std::uint32_t r) { return r; });
    const unsigned* sorted =
        filled<unsigned>(1 << 20, [](std::size_t i, std::uint32_t) { return static_cast<unsigned>(i << 12); });
    auto* bins = filled<unsigned>(most, [](std::size_t, std::uint32_t) { return 0u; });
    for (const int blocks : {1024, 4096}) triangle_rows<<<blocks, 128>>>(to, from, most / 2);
    few_long_blocks<<<4096, 128>>>(to, 0.5f, 50, 200, 400);
    few_long_blocks<<<1000, 128>>>(to, 0.5f, 50, 90, 200);
    few_long_blocks<<<16384, 64>>>(to, 0.5f, 40, 2000, 1000);
    few_long_blocks<<<8192, 256>>>(to, 0.5f, 50, 8, 8);
    for (const unsigned longest : {1u << 12, 1u << 16}) {
        std::vector<unsigned> begin(2049, 0);
        std::uint32_t state = 7;
        for (int r = 0; r < 2048; ++r) {
            const std::uint32_t draw = next_random(state) % 1024 + 1;
            begin[r + 1] = begin[r] + std::min(longest, 65536u / draw + 32);
        }
        const unsigned* starts = filled<unsigned>(2049, [&](std::size_t i, std::uint32_t) { return begin[i]; });
        unequal_rows<<<2048, 128>>>(to, from, starts, most);
    }
    for (const int blocks : {132, 2048}) collatz<<<blocks, 128>>>(bins, 1000);
    for (const int width : {256, 512}) escape<<<width * width / 128, 128>>>(bins, width, 300);
    for (const int blocks : {132, 1024}) lists<<<blocks, 256>>>(bins, words, (1u << 20) - 1);
    for (const int blocks : {264, 2048}) lower_bounds<<<blocks, 256>>>(bins, sorted, 1 << 20);
    for (const int blocks : {132, 1056}) {
        error_functions<0><<<blocks, 256>>>(to, from, 16);
        error_functions<1><<<blocks, 256>>>(to, from, 16);
        error_functions<2><<<blocks, 256>>>(to, from, 16);
        error_functions<3><<<blocks, 256>>>(to, from, 16);
        error_functions<4><<<blocks, 256>>>(to, from, 16);
        error_functions<5><<<blocks, 256>>>(to, from, 16);
    }
    error_of_doubles<<<264, 256>>>(reinterpret_cast<double*>(to), 16);
    for (const int blocks : {8, 32, 64}) {
        row_softmax<<<blocks, 256>>>(to, from, 65536);
        row_softmax<<<blocks, 1024>>>(to, from, 65536);
        row_norm<<<blocks, 256>>>(to, reinterpret_cast<const float4*>(from), 16384);
        row_norm<<<blocks, 1024>>>(to, reinterpret_cast<const float4*>(from), 16384);
    }
    for (const int each : {2048, 16384}) {
        count_keys<<<(1 << 20) / each, 256>>>(bins, words, each);
        place_keys<<<(1 << 20) / each, 256>>>(bins, words, each);
    }
    histogram_copies<64, 1><<<264, 256>>>(bins, words, 1 << 20, 0);
    histogram_copies<256, 8><<<264, 256>>>(bins, words, 1 << 20, 0);
    histogram_copies<1024, 1><<<264, 256>>>(bins, words, 1 << 20, 0);
    histogram_copies<4096, 1><<<132, 1024>>>(bins, words, 1 << 21, 0);
    histogram_copies<256, 1><<<264, 256>>>(bins, words, 1 << 20, 2);
    histogram_copies<256, 8><<<264, 256>>>(bins, words, 1 << 20, 3);
    histogram_bytes<<<240, 256>>>(bins, reinterpret_cast<const uchar4*>(words), 1 << 20);
    histogram_bytes<<<1056, 256>>>(bins, reinterpret_cast<const uchar4*>(words), 1 << 21);
    finish();
    return 0;
}
