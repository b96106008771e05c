// Kernels bound by what a multiprocessor computes: chains, pipes of every kind, divergence, barriers, registers.
#include <cuda_fp16.h>

#include "own.hpp"

__global__ void chain_f32(float* out, float a, float b, int steps) {
    float x = a + threadIdx.x;
    for (int i = 0; i < steps; ++i) x = fmaf(x, a, b);
    out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

__global__ void eight_chains_f32(float* out, float a, float b, int steps) {
    float x[8];
#pragma unroll
    for (int k = 0; k < 8; ++k) x[k] = a * k + threadIdx.x;
    for (int i = 0; i < steps; ++i) {
#pragma unroll
        for (int k = 0; k < 8; ++k) x[k] = fmaf(x[k], a, b);
    }
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 8; ++k) sum += x[k];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void integer_mix(unsigned* out, unsigned a, unsigned b, int steps) {
    unsigned x = threadIdx.x + blockIdx.x * 977u, y = a;
    for (int i = 0; i < steps; ++i) {
        x = x * a + b;
        y ^= (x >> 13) | (x << 19);
        x += min(y, b) + __popc(x);
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = x ^ y;
}

__global__ void divide_s32(int* out, int a, int steps) {
    int x = threadIdx.x * 7919 + 12345678, sum = 0;
    for (int i = 1; i <= steps; ++i) {
        sum += x / (i + a) + x % (i * 3 + a);
        x += 1013;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void divide_u64(unsigned long long* out, unsigned long long a, int steps) {
    unsigned long long x = (threadIdx.x + 1) * 0x9E3779B97F4A7C15ull, sum = 0;
    for (int i = 1; i <= steps; ++i) {
        sum += x / (i + a) + x % (i * 3 + a);
        x = x * 6364136223846793005ull + 1442695040888963407ull;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void special_fast(float* out, float a, int steps) {
    float x = a + threadIdx.x * 0.001f, sum = 0;
    for (int i = 0; i < steps; ++i) {
        sum += __sinf(x) * __expf(-x) + __frsqrt_rn(x + 1.0f);
        x += 0.01f;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void special_exact(float* out, float a, int steps) {
    float x = a + threadIdx.x * 0.001f, sum = 0;
    for (int i = 0; i < steps; ++i) {
        sum += sinf(x) * expf(-x) + logf(x + 1.0f) / sqrtf(x + 2.0f) + powf(x, 1.7f);
        x += 0.01f;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void polynomial_f64(double* out, double a, int steps) {
    double x = a + threadIdx.x * 1e-3, sum = 0;
    for (int i = 0; i < steps; ++i) {
        sum += fma(fma(fma(fma(x, 0.1, 0.2), x, 0.3), x, 0.4), x, 0.5);
        x *= 1.0001;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void special_f64(double* out, double a, int steps) {
    double x = a + threadIdx.x * 1e-3, sum = 0;
    for (int i = 0; i < steps; ++i) {
        sum += exp(-x) / sqrt(x + 1.0) + sin(x);
        x += 0.01;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void pairs_f16(__half2* out, __half2 a, __half2 b, int steps) {
    __half2 x = __float2half2_rn(threadIdx.x * 0.001f), y = a, z = b, w = x;
    for (int i = 0; i < steps; ++i) {
        x = __hfma2(x, a, b);
        y = __hfma2(y, a, b);
        z = __hfma2(z, b, a);
        w = __hfma2(w, b, a);
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = __hadd2(__hadd2(x, y), __hadd2(z, w));
}

// 64 values live at once, in a kernel that may have but 32 registers.
__global__ void __launch_bounds__(1024, 2) spilled(float* out, const float* in, int steps) {
    float x[48];
    const int thread = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll
    for (int k = 0; k < 48; ++k) x[k] = in[(thread + k * 32) % 65536];
    for (int i = 0; i < steps; ++i) {
#pragma unroll
        for (int k = 0; k < 48; ++k) x[k] = fmaf(x[k], x[(k + 7) % 48], 0.25f);
    }
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 48; ++k) sum += x[k];
    out[thread] = sum;
}

__global__ void local_array(unsigned* out, const unsigned* in, int steps) {
    unsigned table[32];
    const int thread = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < 32; ++k) table[k] = in[(thread * 3 + k) % 65536];
    unsigned x = thread;
    for (int i = 0; i < steps; ++i) {
        x = table[(x >> 3) % 32] + i;
        table[x % 32] ^= x;
    }
    out[thread] = x;
}

__global__ void eight_ways(float* out, float a, int steps) {
    float x = a + threadIdx.x;
    for (int i = 0; i < steps; ++i) {
        switch ((threadIdx.x + i) % 8) {
            case 0:
                x = x * 1.1f + 2.0f;
                break;
            case 1:
                x = sqrtf(fabsf(x)) + 3.0f;
                break;
            case 2:
                x = x - 0.5f * x * x * 1e-6f;
                break;
            case 3:
                x = __expf(-fabsf(x)) + 1.0f;
                break;
            case 4:
                x = x / 3.7f;
                break;
            case 5:
                x = __sinf(x) * 9.0f;
                break;
            case 6:
                x = fmaxf(x, 5.0f) * 0.9f;
                break;
            default:
                x = x + 7.0f;
        }
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

__global__ void uneven_loops(unsigned* out, const unsigned* lengths) {
    const int thread = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned length = lengths[thread % 65536] % 200;
    unsigned x = thread;
    for (unsigned i = 0; i < length; ++i) x = x * 1664525u + 1013904223u;
    out[thread] = x;
}

__global__ void shuffles(float* out, int steps) {
    float x = threadIdx.x;
    for (int i = 0; i < steps; ++i) {
#pragma unroll
        for (int o = 16; o > 0; o /= 2) x += __shfl_xor_sync(0xffffffffu, x, o);
        x *= 0.03f;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

__global__ void many_barriers(float* out, int steps) {
    __shared__ float room[1024];
    room[threadIdx.x] = threadIdx.x;
    __syncthreads();
    for (int i = 0; i < steps; ++i) {
        const float x = room[(threadIdx.x + 33) % blockDim.x];
        __syncthreads();
        room[threadIdx.x] = x * 1.5f + 1.0f;
        __syncthreads();
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = room[threadIdx.x];
}

__global__ void votes(unsigned* out, unsigned a, int steps) {
    unsigned x = threadIdx.x * a, sum = 0;
    for (int i = 0; i < steps; ++i) {
        sum += __ballot_sync(0xffffffffu, x & 4) + __reduce_add_sync(0xffffffffu, x);
        x = x * 5 + 1;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// The first block works `Factor` times as long as the others.
template <int Factor>
__global__ void one_long_block(float* out, float a, int steps) {
    float x = threadIdx.x;
    const int count = blockIdx.x == 0 ? steps * Factor : steps;
    for (int i = 0; i < count; ++i) x = fmaf(x, a, 1.0f);
    out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

int main() {
    void* out = nullptr;
    CUDA_CHECK(cudaMalloc(&out, 64 << 20));
    auto* f = static_cast<float*>(out);
    auto* u = static_cast<unsigned*>(out);
    auto* d = static_cast<double*>(out);
    const float* in = floats(65536);
    const unsigned* words = filled<unsigned>(65536, [](std::size_t, std::uint32_t r) { return r; });
    for (const int blocks : {1, 132, 1056}) chain_f32<<<blocks, 256>>>(f, 1.01f, 0.5f, 512);
    for (const int blocks : {132, 1000}) eight_chains_f32<<<blocks, 128>>>(f, 1.01f, 0.5f, 256);
    for (const int blocks : {40, 528}) integer_mix<<<blocks, 256>>>(u, 1664525u, 1013904223u, 200);
    for (const int blocks : {66, 528}) divide_s32<<<blocks, 256>>>(static_cast<int*>(out), 3, 40);
    for (const int blocks : {66, 264}) divide_u64<<<blocks, 256>>>(static_cast<unsigned long long*>(out), 3, 30);
    for (const int blocks : {132, 1056}) special_fast<<<blocks, 256>>>(f, 0.5f, 100);
    for (const int blocks : {132, 528}) special_exact<<<blocks, 256>>>(f, 0.5f, 40);
    for (const int blocks : {132, 1056}) polynomial_f64<<<blocks, 128>>>(d, 0.5, 100);
    for (const int blocks : {66, 264}) special_f64<<<blocks, 128>>>(d, 0.5, 20);
    for (const int blocks : {132, 528}) {
        pairs_f16<<<blocks, 256>>>(static_cast<__half2*>(out), __float2half2_rn(0.9f), __float2half2_rn(0.1f), 200);
    }
    for (const int blocks : {33, 264}) spilled<<<blocks, 1024>>>(f, in, 8);
    for (const int blocks : {66, 528}) local_array<<<blocks, 128>>>(u, words, 100);
    for (const int blocks : {66, 528}) eight_ways<<<blocks, 256>>>(f, 0.5f, 48);
    for (const int blocks : {66, 1056}) uneven_loops<<<blocks, 256>>>(u, words);
    for (const int blocks : {66, 528}) shuffles<<<blocks, 256>>>(f, 50);
    for (const int threads : {64, 256, 1024}) many_barriers<<<132, threads>>>(f, 100);
    for (const int blocks : {66, 528}) votes<<<blocks, 256>>>(u, 77u, 100);
    one_long_block<1><<<500, 128>>>(f, 1.01f, 300);
    one_long_block<8><<<500, 128>>>(f, 1.01f, 300);
    for (const int blocks : {1056, 1057, 1584}) chain_f32<<<blocks, 1024>>>(f, 1.01f, 0.5f, 64);
    finish();
    return 0;
}
