// Kernels of the third set: patterns of access and of registers that neither half has, judged when the model was done.
#include "own.hpp"

__constant__ unsigned char alphabet[64];
__constant__ float taps[63];

// Three bytes become four letters, looked up in constant memory at as many places as a warp has lanes.
__global__ void encode(uchar4* to, const unsigned char* from, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const unsigned word = from[3 * i] << 16 | from[3 * i + 1] << 8 | from[3 * i + 2];
    to[i] = make_uchar4(alphabet[word >> 18 & 63], alphabet[word >> 12 & 63], alphabet[word >> 6 & 63],
                        alphabet[word & 63]);
}

// A filter whose taps all lanes read together.
__global__ void filter(float* to, const float* from, int n) {
    __shared__ float part[256 + 62];
    const int begin = blockIdx.x * 256;
    for (int i = threadIdx.x; i < 256 + 62; i += 256) part[i] = begin + i < n ? from[begin + i] : 0.0f;
    __syncthreads();
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 63; ++k) sum += taps[k] * part[threadIdx.x + k];
    to[begin + threadIdx.x] = sum;
}

struct Particle {
    float x, y, z;
};

// Structures of 12 bytes, written where an index says.
__global__ void reorder(Particle* to, const Particle* from, const unsigned* index, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[index[i] % n] = from[i];
}

// A stencil that walks through the planes with its column in registers.
__global__ void planes(float* to, const float* from, int n) {
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, plane = n * n;
    if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) return;
    const int at = y * n + x;
    float below = from[at], here = from[at + plane];
    for (int z = 1; z < n - 1; ++z) {
        const float above = from[at + (z + 1) * plane];
        const float* p = from + at + z * plane;
        to[at + z * plane] = 0.4f * here + 0.1f * (below + above + p[1] + p[-1] + p[n] + p[-n]);
        below = here, here = above;
    }
}

// Every row's sum by one thread: lanes read far apart, later loads find the sectors in the first level.
__global__ void row_sums(float* out, const float* from, int rows, int width) {
    const int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float sum = 0;
    for (int k = 0; k < width; ++k) sum += from[r * width + k];
    out[r] = sum;
}

// More live values than a thread may have registers.
__global__ void __launch_bounds__(512, 2) many_values(float* to, const float* from, int steps) {
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    float v[56];
#pragma unroll
    for (int k = 0; k < 56; ++k) v[k] = from[(t + k * 97) & 0xfffff];
    for (int i = 0; i < steps; ++i) {
#pragma unroll
        for (int k = 0; k < 56; ++k) v[k] = v[k] * 0.99f + v[(k + 11) % 56] * 0.01f;
    }
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 56; ++k) sum += v[k];
    to[t] = sum;
}

// An array of a thread's own that it indexes by data: it lies in local memory.
__global__ void small_sort(unsigned* to, const unsigned* from) {
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned v[16], count[8] = {};
    for (int k = 0; k < 16; ++k) v[k] = from[t * 16 + k] & 7;
    for (int k = 0; k < 16; ++k) ++count[v[k]];
    unsigned sum = 0;
    for (int k = 0; k < 8; ++k) sum = sum * 17 + count[k];
    to[t] = sum;
}

// Counters of the whole grid that all threads add to: few words, in global memory.
__global__ void tally(unsigned* counts, const unsigned* from, int n, int words) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(counts + from[i] % words, from[i] & 1);
}

// The greatest value, by compare-and-swap of each warp's leader.
__global__ void greatest(unsigned* best, const unsigned* from, int n) {
    unsigned most = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) most = max(most, from[i]);
    for (int o = 16; o > 0; o /= 2) most = max(most, __shfl_xor_sync(0xffffffffu, most, o));
    if (threadIdx.x % 32) return;
    unsigned seen = *best;
    while (most > seen) {
        const unsigned old = atomicCAS(best, seen, most);
        if (old == seen) break;
        seen = old;
    }
}

// Columns to rows in blocks of 16: half a line at a time, read and written.
__global__ void transpose_16(double* to, const double* from, int n) {
    __shared__ double tile[16][17];
    const int x = blockIdx.x * 16, y = blockIdx.y * 16;
    tile[threadIdx.y][threadIdx.x] = from[(y + threadIdx.y) * n + x + threadIdx.x];
    __syncthreads();
    to[(x + threadIdx.y) * n + y + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

int main() {
    const int most = 1 << 22;
    std::vector<float> values(63, 0.1f);
    CUDA_CHECK(cudaMemcpyToSymbol(taps, values.data(), sizeof taps));
    const auto* bytes = filled<unsigned char>(most, [](std::size_t, std::uint32_t r) { return r >> 11 & 255; });
    auto* letters = filled<uchar4>(most / 4, [](std::size_t, std::uint32_t) { return uchar4{}; });
    float *from = floats(most), *to = floats(most);
    const auto* numbers = filled<unsigned>(most, [](std::size_t, std::uint32_t r) { return r >> 4; });
    auto* words = filled<unsigned>(most, [](std::size_t, std::uint32_t) { return 0u; });
    auto* particles = reinterpret_cast<Particle*>(to);
    for (const int n : {1 << 14, 1 << 19}) encode<<<n / 256, 256>>>(letters, bytes, n);
    for (const int n : {1 << 15, 1 << 20}) filter<<<n / 256, 256>>>(to, from, n);
    for (const int n : {1 << 16, 1 << 20})
        reorder<<<n / 256, 256>>>(particles, reinterpret_cast<Particle*>(from), numbers, n);
    for (const int n : {64, 160}) planes<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(to, from, n);
    for (const int rows : {1 << 10, 1 << 14}) row_sums<<<rows / 128, 128>>>(to, from, rows, 128);
    for (const int blocks : {66, 528}) many_values<<<blocks, 512>>>(to, from, 8);
    for (const int blocks : {64, 1024}) small_sort<<<blocks, 128>>>(words, numbers);
    tally<<<2048, 256>>>(words, numbers, 1 << 19, 7);
    tally<<<1024, 256>>>(words, numbers, 1 << 18, 100);
    tally<<<512, 256>>>(words, numbers, 1 << 17, 3000);
    CUDA_CHECK(cudaMemset(words, 0, 64));
    for (const int blocks : {66, 528}) greatest<<<blocks, 256>>>(words + blocks, numbers, 1 << 20);
    for (const int n : {256, 1024})
        transpose_16<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(reinterpret_cast<double*>(to),
                                                             reinterpret_cast<const double*>(from), n);
    finish();
    return 0;
}
