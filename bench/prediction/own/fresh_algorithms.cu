// Kernels of the third set: small algorithms of classes that neither half has, judged when the model was done.
#include "own.hpp"

// Cells of one byte, a tile with its border in shared memory.
__global__ void life(unsigned char* to, const unsigned char* from, int width) {
    __shared__ unsigned char tile[18][36];
    const int x0 = blockIdx.x * 32, y0 = blockIdx.y * 16;
    for (int i = threadIdx.y * 32 + threadIdx.x; i < 18 * 34; i += 512) {
        const int y = (y0 + i / 34 - 1 + width) % width, x = (x0 + i % 34 - 1 + width) % width;
        tile[i / 34][i % 34] = from[y * width + x];
    }
    __syncthreads();
    int alive = 0;
    for (int dy = 0; dy < 3; ++dy)
        for (int dx = 0; dx < 3; ++dx) alive += tile[threadIdx.y + dy][threadIdx.x + dx];
    const int self = tile[threadIdx.y + 1][threadIdx.x + 1];
    to[(y0 + threadIdx.y) * width + x0 + threadIdx.x] = alive == 3 || (self && alive == 4);
}

// Appends what passes a test to one list: an atomic of a warp, by hand.
__global__ void compact(unsigned* out, unsigned* count, const unsigned* from, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const bool keep = i < n && from[i] % 3 == 0;
    const unsigned mask = __ballot_sync(0xffffffffu, keep);
    const unsigned lane = threadIdx.x % 32;
    unsigned base = 0;
    if (lane == 0 && mask) base = atomicAdd(count, __popc(mask));
    base = __shfl_sync(0xffffffffu, base, 0);
    if (keep) out[base + __popc(mask & ((1u << lane) - 1))] = from[i];
}

// A hash table with linear probing; few collisions.
__global__ void insert(unsigned* table, const unsigned* keys, int n, unsigned size) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const unsigned key = keys[i] | 1u;
    unsigned at = key * 2654435761u & (size - 1);
    for (int k = 0; k < 64; ++k) {
        const unsigned old = atomicCAS(table + at, 0u, key);
        if (old == 0 || old == key) return;
        at = (at + 1) & (size - 1);
    }
}

// Every place of a text where a pattern of 8 bytes begins: lanes leave the loop early.
__global__ void search(unsigned* found, const unsigned char* text, int n, unsigned long long pattern) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + 8 > n) return;
    int k = 0;
    while (k < 8 && (text[i + k] & 3) == ((pattern >> (8 * k)) & 3)) ++k;
    if (k == 8) atomicAdd(found, 1u);
}

// Longest common subsequence of two strings by one block: an antidiagonal after the other.
__global__ void alignment(int* best, const unsigned char* a, const unsigned char* b, int n) {
    extern __shared__ int row[];
    int *before = row, *last = row + n + 1, *now = row + 2 * (n + 1);
    for (int i = threadIdx.x; i < 3 * (n + 1); i += blockDim.x) row[i] = 0;
    __syncthreads();
    for (int d = 2; d <= 2 * n; ++d) {
        const int low = max(1, d - n), high = min(n, d - 1);
        for (int i = low + threadIdx.x; i <= high; i += blockDim.x) {
            const bool same = a[i - 1 + blockIdx.x] % 4 == b[d - i - 1] % 4;
            now[i] = same ? before[i - 1] + 1 : max(last[i - 1], last[i]);
        }
        __syncthreads();
        int* free = before;
        before = last, last = now, now = free;
    }
    if (threadIdx.x == 0) best[blockIdx.x] = last[n];
}

// The inverse of a matrix of doubles by each thread, in registers.
__global__ void invert(double* to, const double* from, int n) {
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    double a[4][4], b[4][4];
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) a[i][j] = from[(i * 4 + j) * n + t] + (i == j ? 4 : 0), b[i][j] = i == j;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        const double scale = 1 / a[k][k];
#pragma unroll
        for (int j = 0; j < 4; ++j) a[k][j] *= scale, b[k][j] *= scale;
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            if (i == k) continue;
            const double by = a[i][k];
#pragma unroll
            for (int j = 0; j < 4; ++j) a[i][j] -= by * a[k][j], b[i][j] -= by * b[k][j];
        }
    }
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) to[(i * 4 + j) * n + t] = b[i][j];
}

// The nearest of 16 centres, and sums of what each centre got: float atomics in shared, then in global memory.
__global__ void assign(float* sums, unsigned char* nearest, const float* points, const float* centres, int n) {
    __shared__ float centre[32], sum[48];
    if (threadIdx.x < 32) centre[threadIdx.x] = centres[threadIdx.x];
    if (threadIdx.x < 48) sum[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const float x = points[2 * i], y = points[2 * i + 1];
        float least = 1e30f;
        int which = 0;
        for (int c = 0; c < 16; ++c) {
            const float dx = x - centre[2 * c], dy = y - centre[2 * c + 1], far = dx * dx + dy * dy;
            if (far < least) least = far, which = c;
        }
        nearest[i] = which;
        atomicAdd(sum + which, x), atomicAdd(sum + 16 + which, y), atomicAdd(sum + 32 + which, 1.0f);
    }
    __syncthreads();
    if (threadIdx.x < 48) atomicAdd(sums + threadIdx.x, sum[threadIdx.x]);
}

// A random walk of each thread with 64-bit arithmetic.
__global__ void walk(unsigned* out, int steps) {
    unsigned long long state = (blockIdx.x * blockDim.x + threadIdx.x) * 0x9e3779b97f4a7c15ull + 1;
    int x = 0;
    for (int i = 0; i < steps; ++i) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        const unsigned turn = static_cast<unsigned>((state * 2685821657736338717ull) >> 62);
        x += turn == 0 ? 1 : turn == 1 ? -1 : turn == 2 ? 3 : -3;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

int main() {
    const int most = 1 << 20;
    const auto* bytes = filled<unsigned char>(most * 4, [](std::size_t, std::uint32_t r) { return r >> 9 & 1; });
    const auto* text = filled<unsigned char>(most * 4, [](std::size_t, std::uint32_t r) { return r >> 7 & 255; });
    auto* cells = filled<unsigned char>(most * 4, [](std::size_t, std::uint32_t) { return 0; });
    const auto* numbers = filled<unsigned>(most, [](std::size_t, std::uint32_t r) { return r; });
    auto* words = filled<unsigned>(most * 2, [](std::size_t, std::uint32_t) { return 0u; });
    const auto* doubles = filled<double>(most, [](std::size_t, std::uint32_t r) { return r % 1000 * 0.001; });
    auto* results = filled<double>(most, [](std::size_t, std::uint32_t) { return 0.0; });
    float *points = floats(most * 2), *sums = floats(64);
    for (const int width : {256, 2048}) life<<<dim3(width / 32, width / 16), dim3(32, 16)>>>(cells, bytes, width);
    for (const int n : {1 << 15, 1 << 20}) compact<<<n / 256, 256>>>(words + 32, words, numbers, n);
    for (const unsigned size : {1u << 16, 1u << 20}) {
        CUDA_CHECK(cudaMemset(words, 0, most * 8));
        insert<<<size / 512, 256>>>(words, numbers, size / 2, size);
    }
    for (const int n : {1 << 17, 1 << 21}) search<<<n / 256, 256>>>(words, text, n, 0x0102030003020100ull);
    for (const int blocks : {1, 200})
        alignment<<<blocks, 128, 3 * 257 * 4>>>(reinterpret_cast<int*>(words), text, text + 4096, 256);
    for (const int n : {1 << 12, 1 << 16}) invert<<<n / 128, 128>>>(results, doubles, n);
    for (const int blocks : {64, 528}) assign<<<blocks, 256>>>(sums, cells, points, sums, 1 << 19);
    for (const int blocks : {100, 1000}) walk<<<blocks, 128>>>(words, 200);
    finish();
    return 0;
}
