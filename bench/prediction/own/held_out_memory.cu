// Kernels that were written and measured after the model of time was done, and that fit nothing: rows, gathers,
// scatters, tables, stencils, sums, and what is written.
#include "own.hpp"

namespace {

__device__ unsigned hashed(unsigned x) {
    x = (x ^ 61u) ^ x >> 16;
    x *= 9u;
    x ^= x >> 4;
    x *= 0x27d4eb2du;
    return x ^ x >> 15;
}

/// The sum of a block's values, in all of its threads.
__device__ float sum_of_block(float x) {
    __shared__ float room[33];
    for (int o = 16; o > 0; o /= 2) x += __shfl_xor_sync(0xffffffffu, x, o);
    if (threadIdx.x % 32 == 0) room[threadIdx.x / 32] = x;
    __syncthreads();
    if (threadIdx.x < 32) {
        float y = threadIdx.x < blockDim.x / 32 ? room[threadIdx.x] : 0;
        for (int o = 16; o > 0; o /= 2) y += __shfl_xor_sync(0xffffffffu, y, o);
        if (threadIdx.x == 0) room[32] = y;
    }
    __syncthreads();
    const float all = room[32];
    __syncthreads();
    return all;
}

}  // namespace

// A block for each row: mean, variance, and the row normalised. Long rows make few blocks.
__global__ void normalise_rows(float* to, const float* from, const float* weight, int width) {
    const float* row = from + static_cast<std::size_t>(blockIdx.x) * width;
    float sum = 0, squares = 0;
    for (int i = threadIdx.x; i < width; i += blockDim.x) sum += row[i];
    const float mean = sum_of_block(sum) / width;
    for (int i = threadIdx.x; i < width; i += blockDim.x) squares += (row[i] - mean) * (row[i] - mean);
    const float scale = rsqrtf(sum_of_block(squares) / width + 1e-5f);
    for (int i = threadIdx.x; i < width; i += blockDim.x)
        to[static_cast<std::size_t>(blockIdx.x) * width + i] = (row[i] - mean) * scale * weight[i];
}

// The largest element of a row and its place, four elements at a time.
__global__ void largest_of_rows(unsigned* to, const float4* from, int width4) {
    __shared__ float best[32];
    __shared__ unsigned where[32];
    const float4* row = from + static_cast<std::size_t>(blockIdx.x) * width4;
    float most = -1e30f;
    unsigned at = 0;
    for (int i = threadIdx.x; i < width4; i += blockDim.x) {
        const float4 v = row[i];
        if (v.x > most) most = v.x, at = 4 * i;
        if (v.y > most) most = v.y, at = 4 * i + 1;
        if (v.z > most) most = v.z, at = 4 * i + 2;
        if (v.w > most) most = v.w, at = 4 * i + 3;
    }
    for (int o = 16; o > 0; o /= 2) {
        const float other = __shfl_down_sync(0xffffffffu, most, o);
        const unsigned place = __shfl_down_sync(0xffffffffu, at, o);
        if (other > most) most = other, at = place;
    }
    if (threadIdx.x % 32 == 0) best[threadIdx.x / 32] = most, where[threadIdx.x / 32] = at;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (unsigned w = 1; w < blockDim.x / 32; ++w)
            if (best[w] > most) most = best[w], at = where[w];
        to[blockIdx.x] = at;
    }
}

// A warp for each row.
__global__ void softmax_by_warp(float* to, const float* from, int width) {
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    const float* mine = from + static_cast<std::size_t>(row) * width;
    float most = -1e30f, sum = 0;
    for (int i = lane; i < width; i += 32) most = fmaxf(most, mine[i]);
    for (int o = 16; o > 0; o /= 2) most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, o));
    for (int i = lane; i < width; i += 32) sum += __expf(mine[i] - most);
    for (int o = 16; o > 0; o /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, o);
    for (int i = lane; i < width; i += 32) to[static_cast<std::size_t>(row) * width + i] = __expf(mine[i] - most) / sum;
}

// Rows of a table by number, as embeddings are looked up.
__global__ void take_rows(float4* to, const float4* table, const unsigned* numbers, unsigned rows, int width4) {
    const unsigned row = numbers[blockIdx.x] % rows;
    for (int i = threadIdx.x; i < width4; i += blockDim.x)
        to[static_cast<std::size_t>(blockIdx.x) * width4 + i] = table[static_cast<std::size_t>(row) * width4 + i];
}

// Words of a table at random, `each` by thread.
__global__ void take_words(float* to, const float* table, unsigned mask, int each) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < each; ++k) sum += table[hashed(i * each + k) & mask];
    to[i] = sum;
}

// Numbers added to a table's words, by atomics.
template <class T>
__global__ void add_words(T* table, unsigned mask) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(table + (hashed(i) & mask), T(1));
}

// Counts of keys of which some are frequent.
__global__ void count_skewed(unsigned* counts, const unsigned* keys, unsigned mask) {
    const unsigned key = keys[blockIdx.x * blockDim.x + threadIdx.x];
    atomicAdd(counts + (key & key >> 9 & key >> 18 & mask), 1u);
}

// Keys of a table with open addressing.
__global__ void put_keys(unsigned* table, const unsigned* keys, unsigned mask) {
    const unsigned key = keys[blockIdx.x * blockDim.x + threadIdx.x] | 1u;
    for (unsigned at = hashed(key) & mask;; at = (at + 1) & mask) {
        const unsigned before = atomicCAS(table + at, 0u, key);
        if (before == 0 || before == key) return;
    }
}

__global__ void look_up(unsigned* out, const unsigned* table, const unsigned* keys, unsigned mask) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, key = keys[i] | 1u;
    unsigned at = hashed(key) & mask, steps = 0;
    while (table[at] != 0 && table[at] != key && steps < 64) at = (at + 1) & mask, ++steps;
    out[i] = steps;
}

// Elements that pass are written side by side.
__global__ void keep_some(unsigned* to, unsigned* count, const unsigned* from, unsigned limit) {
    const unsigned x = from[blockIdx.x * blockDim.x + threadIdx.x], lane = threadIdx.x % 32;
    const unsigned some = __ballot_sync(0xffffffffu, x < limit);
    unsigned first = 0;
    if (lane == 0 && some) first = atomicAdd(count, __popc(some));
    first = __shfl_sync(0xffffffffu, first, 0);
    if (x < limit) to[first + __popc(some & ((1u << lane) - 1))] = x;
}

__global__ void five_points(float* to, const float* from, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, at = y * width + x;
    if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
    to[at] = 0.2f * (from[at] + from[at - 1] + from[at + 1] + from[at - width] + from[at + width]);
}

__global__ void seven_points(double* to, const double* from, int n) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) return;
    for (int z = 1; z < n - 1; ++z) {
        const int at = (z * n + y) * n + x;
        to[at] =
            from[at] * 0.4 +
            (from[at - 1] + from[at + 1] + from[at - n] + from[at + n] + from[at - n * n] + from[at + n * n]) * 0.1;
    }
}

__constant__ float filter_weights[49];
__global__ void filter_image(float* to, const float* from, int width, int height) {
    __shared__ float tile[22][22];
    const int x0 = blockIdx.x * 16 - 3, y0 = blockIdx.y * 16 - 3;
    for (int i = threadIdx.y * 16 + threadIdx.x; i < 22 * 22; i += 256) {
        const int x = min(max(x0 + i % 22, 0), width - 1), y = min(max(y0 + i / 22, 0), height - 1);
        tile[i / 22][i % 22] = from[y * width + x];
    }
    __syncthreads();
    float sum = 0;
#pragma unroll
    for (int b = 0; b < 7; ++b)
#pragma unroll
        for (int a = 0; a < 7; ++a) sum += tile[threadIdx.y + b][threadIdx.x + a] * filter_weights[b * 7 + a];
    to[(blockIdx.y * 16 + threadIdx.y) * width + blockIdx.x * 16 + threadIdx.x] = sum;
}

// A matrix by a vector: a warp for each row; a thread for each column.
__global__ void rows_by_vector(float* to, const float* matrix, const float* vector, int n) {
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float sum = 0;
    for (int k = lane; k < n; k += 32) sum += matrix[static_cast<std::size_t>(row) * n + k] * vector[k];
    for (int o = 16; o > 0; o /= 2) sum += __shfl_down_sync(0xffffffffu, sum, o);
    if (lane == 0) to[row] = sum;
}

__global__ void columns_by_vector(float* to, const float* matrix, const float* vector, int n) {
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < n; ++k) sum += matrix[static_cast<std::size_t>(k) * n + column] * vector[k];
    to[column] = sum;
}

__global__ void triad(double* a, const double* b, const double* c, double s, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) a[i] = b[i] + s * c[i];
}

template <class T>
__global__ void fill_with(T* to, T value) {
    to[static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x] = value;
}

__global__ void scale_in_place(float4* x, float s) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    float4 v = x[i];
    v.x *= s, v.y *= s, v.z *= s, v.w *= s;
    x[i] = v;
}

// Every second word of a row is written, and single words here and there.
__global__ void write_alternate(float* to, float value) {
    to[2 * (static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x)] = value;
}

__global__ void write_at_random(float* to, unsigned mask) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    to[hashed(i) & mask] = 1.0f;
}

// A step of all shortest paths.
__global__ void shorten_paths(int* d, int n, int k) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    const int through = d[y * n + k] + d[k * n + x];
    if (through < d[y * n + x]) d[y * n + x] = through;
}

int main() {
    float* f = floats(1 << 23);
    float* g = floats(1 << 23);
    double* d = filled<double>(1 << 23, [](std::size_t i, std::uint32_t) { return double(i % 100); });
    unsigned* u = filled<unsigned>(1 << 22, [](std::size_t, std::uint32_t r) { return r; });
    unsigned* w = filled<unsigned>(1 << 23, [](std::size_t, std::uint32_t) { return 0u; });

    normalise_rows<<<8, 1024>>>(g, f, f, 65536);
    normalise_rows<<<32, 512>>>(g, f, f, 16384);
    normalise_rows<<<2048, 256>>>(g, f, f, 1024);
    largest_of_rows<<<4, 1024>>>(w, reinterpret_cast<const float4*>(f), 1 << 17);
    largest_of_rows<<<64, 256>>>(w, reinterpret_cast<const float4*>(f), 1 << 13);
    softmax_by_warp<<<512, 256>>>(g, f, 1024);
    softmax_by_warp<<<64, 128>>>(g, f, 4096);
    take_rows<<<8192, 32>>>(reinterpret_cast<float4*>(g), reinterpret_cast<const float4*>(f), u, 1u << 16, 32);
    take_rows<<<2048, 128>>>(reinterpret_cast<float4*>(g), reinterpret_cast<const float4*>(f), u, 1u << 13, 256);
    take_words<<<1024, 256>>>(g, f, (1u << 22) - 1, 4);
    take_words<<<1024, 256>>>(g, f, (1u << 15) - 1, 16);
    take_words<<<2048, 256>>>(g, reinterpret_cast<const float*>(d), (1u << 24) - 1, 4);
    add_words<float><<<2048, 256>>>(g, (1u << 18) - 1);
    add_words<unsigned><<<2048, 256>>>(w, (1u << 22) - 1);
    add_words<double><<<1024, 256>>>(d, (1u << 12) - 1);
    count_skewed<<<2048, 256>>>(w, u, 4095);
    unsigned* table = filled<unsigned>(1 << 20, [](std::size_t, std::uint32_t) { return 0u; });
    put_keys<<<2048, 256>>>(table, u, (1u << 20) - 1);
    look_up<<<2048, 256>>>(w, table, u, (1u << 20) - 1);
    unsigned* small = filled<unsigned>(1 << 15, [](std::size_t, std::uint32_t) { return 0u; });
    put_keys<<<96, 256>>>(small, u, (1u << 15) - 1);
    look_up<<<1024, 256>>>(w, small, u, (1u << 15) - 1);
    unsigned* counts = filled<unsigned>(2, [](std::size_t, std::uint32_t) { return 0u; });
    keep_some<<<4096, 256>>>(w, counts, u, 1u << 30);
    keep_some<<<256, 1024>>>(w, counts + 1, u, 1u << 31);
    five_points<<<dim3(64, 256), dim3(32, 8)>>>(g, f, 2048, 2048);
    five_points<<<dim3(8, 128), dim3(64, 4)>>>(g, f, 512, 512);
    seven_points<<<dim3(4, 16), dim3(32, 8)>>>(d, d + (1 << 22), 128);
    seven_points<<<dim3(5, 20), dim3(32, 8)>>>(d, d + (1 << 22), 160);
    filter_image<<<dim3(64, 64), dim3(16, 16)>>>(g, f, 1024, 1024);
    rows_by_vector<<<256, 256>>>(g, f, f, 2048);
    rows_by_vector<<<16, 128>>>(g, f, f, 65536);
    columns_by_vector<<<8, 256>>>(g, f, f, 2048);
    columns_by_vector<<<32, 64>>>(g, f, f, 2048);
    triad<<<528, 256>>>(d, d + (1 << 21), d + (1 << 22), 3.0, 1 << 21);
    fill_with<float><<<16384, 512>>>(g, 1.0f);
    fill_with<double><<<16384, 512>>>(d, 1.0);
    scale_in_place<<<8192, 256>>>(reinterpret_cast<float4*>(f), 1.5f);
    write_alternate<<<8192, 512>>>(g, 2.0f);
    write_at_random<<<4096, 256>>>(g, (1u << 23) - 1);
    int* paths = reinterpret_cast<int*>(u);
    shorten_paths<<<dim3(8, 1024), 128>>>(paths, 1024, 77);
    finish();
    return 0;
}
