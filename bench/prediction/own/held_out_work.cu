// Kernels that were written and measured after the model of time was done, and that fit nothing: work that differs
// from lane to lane and from block to block, special functions, sorting, shared memory, products.
#include <mma.h>

#include "own.hpp"

namespace {

__device__ unsigned hashed(unsigned x) {
    x = (x ^ 61u) ^ x >> 16;
    x *= 9u;
    x ^= x >> 4;
    x *= 0x27d4eb2du;
    return x ^ x >> 15;
}

}  // namespace

// Newton's iteration for the roots of z^3 = 1: lanes leave after different numbers of steps.
__global__ void newton_roots(unsigned* out, int width, int most) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float u = -2.0f + 4.0f * (i % width) / width, v = -2.0f + 4.0f * (i / width) / width;
    int steps = 0;
    for (; steps < most; ++steps) {
        const float uu = u * u - v * v, vv = 2 * u * v, length = uu * uu + vv * vv + 1e-12f;
        const float a = 2.0f / 3 * u + uu / (3 * length), b = 2.0f / 3 * v - vv / (3 * length);
        const float moved = fabsf(a - u) + fabsf(b - v);
        u = a, v = b;
        if (moved < 1e-5f) break;
    }
    out[i] = steps;
}

// A ray goes on by its distance to a row of spheres until it meets one.
__global__ void march_rays(float* out, int width, int most) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float a = (i % width - width / 2) * 2.0f / width, b = (i / width - width / 2) * 2.0f / width;
    const float scale = rsqrtf(a * a + b * b + 1);
    float t = 0;
    for (int k = 0; k < most; ++k) {
        const float x = t * a * scale, y = t * b * scale, z = t * scale;
        const float fx = x - 2 * rintf(x * 0.5f), fy = y - 2 * rintf(y * 0.5f), fz = z - 2 * rintf(z * 0.5f) - 1;
        const float distance = sqrtf(fx * fx + fy * fy + fz * fz) - 0.6f;
        if (distance < 1e-3f || t > 40) break;
        t += distance;
    }
    out[i] = t;
}

// Greatest common divisors by subtraction and division.
__global__ void divisors(unsigned* out, unsigned seed) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned a = hashed(i + seed) | 1u, b = hashed(i * 31u + seed) | 1u;
    while (b != 0) {
        const unsigned t = a % b;
        a = b;
        b = t;
    }
    out[i] = a;
}

// Blocks whose work goes with the square of their number.
__global__ void rising_blocks(float* out, const float* from, int n) {
    const unsigned count = blockIdx.x * blockIdx.x / 64u + 32u;
    float sum = 0;
    for (unsigned k = threadIdx.x; k < count; k += blockDim.x) sum += __sinf(from[(k * 17u + blockIdx.x) % n]);
    atomicAdd(out + blockIdx.x % 64, sum);
}

// Edges of a vertex, a thread each: degrees follow a power law.
__global__ void sum_neighbours(float* out, const unsigned* starts, const unsigned* ends_of, const float* values,
                               int n) {
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n) return;
    float sum = 0;
    for (unsigned k = starts[v]; k < starts[v + 1]; ++k) sum += values[ends_of[k]];
    out[v] = sum;
}

// The same, a warp for each vertex.
__global__ void sum_neighbours_by_warp(float* out, const unsigned* starts, const unsigned* ends_of, const float* values,
                                       int n) {
    const int v = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (v >= n) return;
    float sum = 0;
    for (unsigned k = starts[v] + lane; k < starts[v + 1]; k += 32) sum += values[ends_of[k]];
    for (int o = 16; o > 0; o /= 2) sum += __shfl_down_sync(0xffffffffu, sum, o);
    if (lane == 0) out[v] = sum;
}

// One step of a breadth-first search: neighbours that nobody has visited are taken.
__global__ void widen_front(unsigned* level, const unsigned* starts, const unsigned* ends_of, unsigned* count, int n,
                            unsigned now) {
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n || level[v] != now) return;
    for (unsigned k = starts[v]; k < starts[v + 1]; ++k)
        if (atomicCAS(level + ends_of[k], 0xffffffffu, now + 1) == 0xffffffffu) atomicAdd(count, 1u);
}

template <int Which>
__global__ void statistics(float* out, const float* from, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float x = from[i] - 1.0f;
    if (Which == 0) out[i] = normcdff(x) * from[i] - expf(-0.05f) * normcdff(x - 0.2f);
    if (Which == 1) out[i] = erfcf(x) / erfcf(0.5f * x);
    if (Which == 2) out[i] = normcdfinvf(from[i] * 0.6f);
    if (Which == 3) out[i] = tgammaf(from[i]) + j0f(x);
    if (Which == 4) out[i] = powf(from[i], 1.7f) + atan2f(x, from[i]);
}

// A place of a block is sorted by bitonic exchanges in shared memory.
__global__ void bitonic(unsigned* keys) {
    __shared__ unsigned room[1024];
    room[threadIdx.x] = keys[blockIdx.x * 1024 + threadIdx.x];
    __syncthreads();
    for (unsigned size = 2; size <= 1024; size *= 2)
        for (unsigned step = size / 2; step > 0; step /= 2) {
            const unsigned other = threadIdx.x ^ step;
            if (other > threadIdx.x) {
                const unsigned a = room[threadIdx.x], b = room[other];
                if ((a > b) == ((threadIdx.x & size) == 0)) room[threadIdx.x] = b, room[other] = a;
            }
            __syncthreads();
        }
    keys[blockIdx.x * 1024 + threadIdx.x] = room[threadIdx.x];
}

// Digits of four bits are counted, and keys go where the counts before them say.
__global__ void count_digits(unsigned* counts, const unsigned* keys, int shift) {
    __shared__ unsigned of[16];
    if (threadIdx.x < 16) of[threadIdx.x] = 0;
    __syncthreads();
    const unsigned digit = keys[blockIdx.x * blockDim.x + threadIdx.x] >> shift & 15u;
    atomicAdd(of + digit, 1u);
    __syncthreads();
    if (threadIdx.x < 16) counts[threadIdx.x * gridDim.x + blockIdx.x] = of[threadIdx.x];
}

__global__ void place_digits(unsigned* to, const unsigned* starts, const unsigned* keys, int shift) {
    __shared__ unsigned next[16][8];
    const unsigned key = keys[blockIdx.x * blockDim.x + threadIdx.x], digit = key >> shift & 15u;
    const unsigned warp = threadIdx.x / 32, same = __match_any_sync(0xffffffffu, digit);
    const unsigned before = __popc(same & ((1u << threadIdx.x % 32) - 1));
    if (threadIdx.x < 128) next[threadIdx.x / 8][threadIdx.x % 8] = 0;
    __syncthreads();
    if (before == 0) next[digit][warp] = __popc(same);
    __syncthreads();
    unsigned at = starts[digit * gridDim.x + blockIdx.x] + before;
    for (unsigned w = 0; w < warp; ++w) at += next[digit][w];
    to[at] = key;
}

template <int Bins>
__global__ void histogram_of(unsigned* out, const unsigned* from, int each) {
    __shared__ unsigned of[Bins];
    for (int i = threadIdx.x; i < Bins; i += blockDim.x) of[i] = 0;
    __syncthreads();
    for (int i = 0; i < each; ++i) {
        const unsigned x = from[(blockIdx.x * each + i) * blockDim.x + threadIdx.x];
        atomicAdd(of + (x & x >> 12) % Bins, 1u);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < Bins; i += blockDim.x)
        if (of[i]) atomicAdd(out + i, of[i]);
}

// Forces between bodies, a tile of them in shared memory.
__global__ void forces(float4* out, const float4* bodies, int n) {
    __shared__ float4 tile[128];
    const int i = blockIdx.x * 128 + threadIdx.x;
    const float4 me = bodies[i];
    float x = 0, y = 0, z = 0;
    for (int first = 0; first < n; first += 128) {
        tile[threadIdx.x] = bodies[first + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < 128; ++k) {
            const float dx = tile[k].x - me.x, dy = tile[k].y - me.y, dz = tile[k].z - me.z;
            const float r = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f), f = tile[k].w * r * r * r;
            x += f * dx, y += f * dy, z += f * dz;
        }
        __syncthreads();
    }
    out[i] = make_float4(x, y, z, 0);
}

// Edit distance of two strings: one diagonal after another.
__global__ void edit_distance(int* out, const unsigned char* a, const unsigned char* b) {
    __shared__ int row[3][257];
    const int t = threadIdx.x;
    const unsigned char* left = a + blockIdx.x * 256;
    const unsigned char* right = b + blockIdx.x * 256;
    row[0][t] = row[1][t] = row[2][t] = t;
    for (int d = 2; d <= 512; ++d) {
        __syncthreads();
        const int j = d - t;
        if (t >= 1 && j >= 1 && j <= 256 && t <= 256) {
            const int same = row[(d + 1) % 3][t - 1] + (left[t - 1] != right[j - 1]);
            row[d % 3][t] = min(same, min(row[(d + 2) % 3][t - 1], row[(d + 2) % 3][t]) + 1);
        }
    }
    __syncthreads();
    if (t == 255) out[blockIdx.x] = row[512 % 3][t];
}

__global__ void scan_blocks(float* out, const float* from) {
    __shared__ float sums[32];
    const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    float x = from[i];
    for (int o = 1; o < 32; o *= 2) {
        const float before = __shfl_up_sync(0xffffffffu, x, o);
        if (lane >= o) x += before;
    }
    if (lane == 31) sums[warp] = x;
    __syncthreads();
    if (warp == 0) {
        float s = lane < static_cast<int>(blockDim.x / 32) ? sums[lane] : 0;
        for (int o = 1; o < 32; o *= 2) {
            const float before = __shfl_up_sync(0xffffffffu, s, o);
            if (lane >= o) s += before;
        }
        sums[lane] = s;
    }
    __syncthreads();
    out[i] = x + (warp > 0 ? sums[warp - 1] : 0);
}

// One block works out the product of two small matrices of a batch.
template <int N>
__global__ void small_products(float* out, const float* a, const float* b) {
    __shared__ float left[N][N + 1], right[N][N];
    const int x = threadIdx.x, y = threadIdx.y, at = blockIdx.x * N * N + y * N + x;
    left[y][x] = a[at];
    right[y][x] = b[at];
    __syncthreads();
    float sum = 0;
#pragma unroll
    for (int k = 0; k < N; ++k) sum += left[y][k] * right[k][x];
    out[at] = sum;
}

// A product on tensor cores, a warp for each 16 x 16 of the result, operands from global memory.
__global__ void tensor_product(float* c, const __half* a, const __half* b, int n) {
    using namespace nvcuda;
    const int tile = (blockIdx.x * blockDim.x + threadIdx.x) / 32, row = tile / (n / 16) * 16,
              column = tile % (n / 16) * 16;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fill_fragment(sum, 0.0f);
    for (int k = 0; k < n; k += 16) {
        wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> left;
        wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> right;
        wmma::load_matrix_sync(left, a + row * n + k, n);
        wmma::load_matrix_sync(right, b + k * n + column, n);
        wmma::mma_sync(sum, left, right, sum);
    }
    wmma::store_matrix_sync(c + row * n + column, sum, n, wmma::mem_row_major);
}

// Whole numbers turned and mixed, as ciphers do.
__global__ void quarter_rounds(uint4* out, const uint4* from, int rounds) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    uint4 v = from[i];
    for (int k = 0; k < rounds; ++k) {
        v.x += v.y, v.w ^= v.x, v.w = __funnelshift_l(v.w, v.w, 16);
        v.z += v.w, v.y ^= v.z, v.y = __funnelshift_l(v.y, v.y, 12);
        v.x += v.y, v.w ^= v.x, v.w = __funnelshift_l(v.w, v.w, 8);
        v.z += v.w, v.y ^= v.z, v.y = __funnelshift_l(v.y, v.y, 7);
    }
    out[i] = v;
}

// Points thrown at a circle.
__global__ void throw_points(unsigned* hits, int each) {
    unsigned long long state = 0x9e3779b97f4a7c15ull * (blockIdx.x * blockDim.x + threadIdx.x + 1);
    unsigned count = 0;
    for (int k = 0; k < each; ++k) {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        const float x = (state >> 40) * 5.96e-8f;
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        const float y = (state >> 40) * 5.96e-8f;
        count += x * x + y * y < 1;
    }
    count = __reduce_add_sync(0xffffffffu, count);
    if (threadIdx.x % 32 == 0) atomicAdd(hits, count);
}

int main() {
    float* f = floats(1 << 22);
    float* g = floats(1 << 22);
    unsigned* u = filled<unsigned>(1 << 22, [](std::size_t, std::uint32_t r) { return r; });
    unsigned* w = filled<unsigned>(1 << 22, [](std::size_t, std::uint32_t) { return 0u; });
    const int vertices = 1 << 16;
    std::vector<unsigned> offsets(vertices + 1);
    std::uint32_t state = 88675123u;
    for (int v = 0; v < vertices; ++v) {
        const double r = (next_random(state) % 65535 + 1) / 65536.0;
        offsets[v + 1] = offsets[v] + static_cast<unsigned>(2 + (r < 0.02 ? 2 / r : 4 * r));
    }
    unsigned* starts = filled<unsigned>(vertices + 1, [&](std::size_t i, std::uint32_t) { return offsets[i]; });
    unsigned* edges = filled<unsigned>(offsets[vertices], [&](std::size_t, std::uint32_t r) { return r % vertices; });
    unsigned* level = filled<unsigned>(vertices, [](std::size_t, std::uint32_t r) { return r % 4 ? 0xffffffffu : 3u; });

    newton_roots<<<512, 128>>>(w, 256, 64);
    newton_roots<<<2048, 256>>>(w, 724, 64);
    march_rays<<<1024, 128>>>(f, 362, 128);
    divisors<<<264, 256>>>(w, 7);
    divisors<<<2048, 128>>>(w, 7);
    rising_blocks<<<256, 128>>>(g, f, 1 << 20);
    rising_blocks<<<1024, 128>>>(g, f, 1 << 20);
    sum_neighbours<<<vertices / 128, 128>>>(g, starts, edges, f, vertices);
    sum_neighbours_by_warp<<<vertices / 8, 256>>>(g, starts, edges, f, vertices);
    widen_front<<<vertices / 256, 256>>>(level, starts, edges, w, vertices, 3u);
    statistics<0><<<1024, 256>>>(g, f, 1 << 18);
    statistics<1><<<1024, 256>>>(g, f, 1 << 18);
    statistics<2><<<4096, 256>>>(g, f, 1 << 20);
    statistics<3><<<512, 256>>>(g, f, 1 << 17);
    statistics<4><<<2048, 256>>>(g, f, 1 << 19);
    bitonic<<<132, 1024>>>(u);
    bitonic<<<1024, 1024>>>(u);
    count_digits<<<4096, 256>>>(w, u, 8);
    unsigned* places = filled<unsigned>(16 * 4096, [](std::size_t i, std::uint32_t) { return unsigned(i * 16); });
    place_digits<<<4096, 256>>>(w, places, u, 8);
    histogram_of<64><<<264, 256>>>(w, u, 16);
    histogram_of<1024><<<264, 512>>>(w, u, 16);
    histogram_of<8192><<<132, 1024>>>(w, u, 24);
    forces<<<32, 128>>>(reinterpret_cast<float4*>(g), reinterpret_cast<const float4*>(f), 4096);
    forces<<<128, 128>>>(reinterpret_cast<float4*>(g), reinterpret_cast<const float4*>(f), 4096);
    edit_distance<<<132, 256>>>(reinterpret_cast<int*>(w), reinterpret_cast<unsigned char*>(u),
                                reinterpret_cast<unsigned char*>(f));
    scan_blocks<<<2048, 512>>>(g, f);
    scan_blocks<<<4096, 1024>>>(g, f);
    small_products<16><<<4096, dim3(16, 16)>>>(g, f, f + 7);
    small_products<32><<<1024, dim3(32, 32)>>>(g, f, f + 9);
    __half* half = filled<__half>(1 << 20, [](std::size_t, std::uint32_t r) { return __half(float(r % 64) * 0.01f); });
    tensor_product<<<128, 256>>>(g, half, half, 512);
    tensor_product<<<512, 256>>>(g, half, half, 1024);
    quarter_rounds<<<1024, 256>>>(reinterpret_cast<uint4*>(w), reinterpret_cast<const uint4*>(u), 20);
    throw_points<<<528, 256>>>(w, 200);
    finish();
    return 0;
}
