// The versions of one problem that courses compare: products of matrices and sums, from naive to tuned.
#include "own.hpp"

__global__ void matmul_naive(float* c, const float* a, const float* b, int n) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < n; ++k) sum += a[y * n + k] * b[k * n + x];
    c[y * n + x] = sum;
}

// Neighbouring threads on neighbouring rows: loads that do not coalesce.
__global__ void matmul_rows(float* c, const float* a, const float* b, int n) {
    const int y = blockIdx.x * blockDim.x + threadIdx.x, x = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < n; ++k) sum += a[y * n + k] * b[k * n + x];
    c[y * n + x] = sum;
}

template <int Tile>
__global__ void matmul_tiled(float* c, const float* a, const float* b, int n) {
    __shared__ float ta[Tile][Tile], tb[Tile][Tile];
    const int x = blockIdx.x * Tile + threadIdx.x, y = blockIdx.y * Tile + threadIdx.y;
    float sum = 0;
    for (int t = 0; t < n; t += Tile) {
        ta[threadIdx.y][threadIdx.x] = a[y * n + t + threadIdx.x];
        tb[threadIdx.y][threadIdx.x] = b[(t + threadIdx.y) * n + x];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < Tile; ++k) sum += ta[threadIdx.y][k] * tb[k][threadIdx.x];
        __syncthreads();
    }
    c[y * n + x] = sum;
}

// A block of 64 x 64 by 256 threads with 4 x 4 sums each.
__global__ void matmul_registers(float* c, const float* a, const float* b, int n) {
    __shared__ float ta[16][64], tb[16][64];
    const int tx = threadIdx.x % 16, ty = threadIdx.x / 16, x0 = blockIdx.x * 64, y0 = blockIdx.y * 64;
    float sum[4][4] = {};
    for (int t = 0; t < n; t += 16) {
        for (int i = threadIdx.x; i < 1024; i += 256) {
            ta[i % 16][i / 16] = a[(y0 + i / 16) * n + t + i % 16];
            tb[i / 64][i % 64] = b[(t + i / 64) * n + x0 + i % 64];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; ++k) {
            const float4 u = *reinterpret_cast<const float4*>(&ta[k][ty * 4]);
            const float4 v = *reinterpret_cast<const float4*>(&tb[k][tx * 4]);
            const float p[4] = {u.x, u.y, u.z, u.w}, q[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
            for (int i = 0; i < 4; ++i) {
#pragma unroll
                for (int j = 0; j < 4; ++j) sum[i][j] = fmaf(p[i], q[j], sum[i][j]);
            }
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) c[(y0 + ty * 4 + i) * n + x0 + tx * 4 + j] = sum[i][j];
    }
}

__global__ void sum_interleaved(float* out, const float* in) {
    extern __shared__ float room[];
    room[threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
    __syncthreads();
    for (unsigned s = 1; s < blockDim.x; s *= 2) {
        if (threadIdx.x % (2 * s) == 0) room[threadIdx.x] += room[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = room[0];
}

__global__ void sum_conflicting(float* out, const float* in) {
    extern __shared__ float room[];
    room[threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
    __syncthreads();
    for (unsigned s = 1; s < blockDim.x; s *= 2) {
        const unsigned i = 2 * s * threadIdx.x;
        if (i < blockDim.x) room[i] += room[i + s];
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = room[0];
}

__global__ void sum_sequential(float* out, const float* in) {
    extern __shared__ float room[];
    room[threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
    __syncthreads();
    for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
        if (threadIdx.x < s) room[threadIdx.x] += room[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = room[0];
}

__global__ void sum_shuffled(float* out, const float* in, int n) {
    __shared__ float room[32];
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
    for (int o = 16; o > 0; o /= 2) sum += __shfl_down_sync(0xffffffffu, sum, o);
    if (threadIdx.x % 32 == 0) room[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 32) {
        sum = threadIdx.x < blockDim.x / 32 ? room[threadIdx.x] : 0.0f;
        for (int o = 16; o > 0; o /= 2) sum += __shfl_down_sync(0xffffffffu, sum, o);
        if (threadIdx.x == 0) out[blockIdx.x] = sum;
    }
}

// Two tiles in flight: the next is copied while this one is used.
__global__ void matmul_pipelined(float* c, const float* a, const float* b, int n) {
    __shared__ __align__(16) float ta[2][32][32], tb[2][32][32];
    const int tx = threadIdx.x % 32, ty = threadIdx.x / 32, x0 = blockIdx.x * 32, y0 = blockIdx.y * 32;
    const int row = threadIdx.x / 8, column = threadIdx.x % 8 * 4;
    const auto load = [&](int stage, int t) {
        const unsigned sa = static_cast<unsigned>(__cvta_generic_to_shared(&ta[stage][row][column]));
        const unsigned sb = static_cast<unsigned>(__cvta_generic_to_shared(&tb[stage][row][column]));
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(sa), "l"(a + (y0 + row) * n + t + column));
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(sb), "l"(b + (t + row) * n + x0 + column));
        asm volatile("cp.async.commit_group;");
    };
    float sum[4] = {};
    load(0, 0);
    for (int t = 0; t < n; t += 32) {
        const int stage = t / 32 % 2;
        if (t + 32 < n) {
            load(stage ^ 1, t + 32);
            asm volatile("cp.async.wait_group 1;" ::: "memory");
        } else {
            asm volatile("cp.async.wait_group 0;" ::: "memory");
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 32; ++k) {
            const float q = tb[stage][k][tx];
#pragma unroll
            for (int i = 0; i < 4; ++i) sum[i] = fmaf(ta[stage][ty * 4 + i][k], q, sum[i]);
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; ++i) c[(y0 + ty * 4 + i) * n + x0 + tx] = sum[i];
}

int main() {
    const int n = 1 << 21;
    float *in = floats(n), *other = floats(1 << 20), *out = floats(n);
    for (const int size : {128, 512}) {
        const dim3 half(size / 16, size / 16), whole(size / 32, size / 32);
        matmul_rows<<<half, dim3(16, 16)>>>(out, in, other, size);
        matmul_naive<<<half, dim3(16, 16)>>>(out, in, other, size);
        matmul_naive<<<whole, dim3(32, 32)>>>(out, in, other, size);
        matmul_tiled<16><<<half, dim3(16, 16)>>>(out, in, other, size);
        matmul_tiled<32><<<whole, dim3(32, 32)>>>(out, in, other, size);
        matmul_registers<<<dim3(size / 64, size / 64), 256>>>(out, in, other, size);
        matmul_pipelined<<<whole, 256>>>(out, in, other, size);
    }
    for (const int size : {1 << 16, n}) {
        sum_interleaved<<<size / 256, 256, 1024>>>(out, in);
        sum_conflicting<<<size / 256, 256, 1024>>>(out, in);
        sum_sequential<<<size / 256, 256, 1024>>>(out, in);
        sum_shuffled<<<264, 256>>>(out, in, size);
    }
    finish();
    return 0;
}
