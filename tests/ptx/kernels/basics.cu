// Loads, stores, arithmetic, predicates, vector accesses, local arrays, switch tables.
#include "tiny_cuda.h"

struct alignas(16) Quad {
    float x, y, z, w;
};
struct Odd {
    int n;
    char tag[3];
    double scale;
};

extern "C" __global__ void saxpy(float a, const float* __restrict__ x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}

extern "C" __global__ void __launch_bounds__(256, 2) copy_quads(const Quad* from, Quad* to, Odd odd) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    Quad q = from[i];
    q.x *= (float)odd.scale;
    q.y += odd.tag[1];
    if (i < odd.n) to[i] = q;
}

extern "C" __global__ void local_array(int* out, const int* in, int n) {
    int scratch[32];
    for (int k = 0; k < 32; ++k) scratch[k] = in[k] * k;
    int sum = 0;
    for (int k = 0; k < n; ++k) sum += scratch[in[k] & 31];
    out[threadIdx.x] = sum;
}

extern "C" __global__ void choose(int* out, const int* in) {
    int i = threadIdx.x, v = in[i];
    switch (v) {
        case 0: v = in[i + 1] * 3; break;
        case 1: v = in[i + 2] / 7; break;
        case 2: v = in[i + 3] % 11; break;
        case 3: v ^= in[i + 4]; break;
        case 4: v = in[i + 5] << 3; break;
        case 5: v = in[i + 6] >> 2; break;
        case 6: v = -in[i + 7]; break;
        default: v = ~v;
    }
    out[i] = v;
}

extern "C" __global__ void wide(long long* out, const unsigned* a, const long long* b, unsigned short* h, signed char* c) {
    int i = threadIdx.x;
    unsigned long long p = (unsigned long long)a[i] * a[i + 1];
    out[i] = b[i] / 10 + b[i] % 7 + (long long)p;
    h[i] = (unsigned short)(h[i] * 3 + 1);
    c[i] = (signed char)(c[i] - 5);
}

extern "C" __global__ void mix(double* d, float* f, const int* in) {
    int i = threadIdx.x;
    double x = d[i];
    d[i] = x * x + 1.0 / (x + 2.5);
    f[i] = (float)in[i] / 3.0f + (float)x;
    if (f[i] > 1e30f) f[i] = -0.0f;
}
