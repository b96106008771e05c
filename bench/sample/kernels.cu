// Two dozen kernels whose blocks differ in many ways; each launched on large grids.
#include <cuda_runtime.h>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>
typedef unsigned u;
__device__ __forceinline__ u mix(u s) {
    s ^= s >> 16;
    s *= 0x7feb352du;
    s ^= s >> 15;
    s *= 0x846ca68bu;
    return s ^ s >> 16;
}
#define I (blockIdx.x * blockDim.x + threadIdx.x)
__global__ void spmv(const int* rows, const int* cols, const float* v, const float* x, float* y, int n) {
    int i = I;
    if (i >= n) return;
    float s = 0;
    for (int k = rows[i]; k < rows[i + 1]; ++k) s += v[k] * x[cols[k]];
    y[i] = s;
}
__global__ void spmv_warp(const int* rows, const int* cols, const float* v, const float* x, float* y, int n) {
    int i = I / 32, l = threadIdx.x & 31;
    if (i >= n) return;
    float s = 0;
    for (int k = rows[i] + l; k < rows[i + 1]; k += 32) s += v[k] * x[cols[k]];
    for (int o = 16; o; o >>= 1) s += __shfl_down_sync(~0u, s, o);
    if (!l) y[i] = s;
}
__global__ void mandel(u* out, int w, float x0, float y0, float st) {
    int x = I, yy = blockIdx.y;
    if (x >= w) return;
    float cx = x0 + x * st, cy = y0 + yy * st, a = 0, b = 0;
    int k = 0;
    for (; k < 60 && a * a + b * b < 4; ++k) {
        float t = a * a - b * b + cx;
        b = 2 * a * b + cy;
        a = t;
    }
    out[yy * w + x] = k;
}
__global__ void collatz(u* out, u from) {
    u n = from + I;
    int k = 0;
    while (n != 1 && k < 200) {
        n = n & 1 ? 3 * n + 1 : n / 2;
        ++k;
    }
    out[I] = k;
}
__global__ void hist_shared(const u* v, u* h, int n) {
    __shared__ u s[64];
    if (threadIdx.x < 64) s[threadIdx.x] = 0;
    __syncthreads();
    int i = I;
    if (i < n) atomicAdd(&s[v[i] & 63], 1);
    __syncthreads();
    if (threadIdx.x < 64 && s[threadIdx.x]) atomicAdd(&h[threadIdx.x], s[threadIdx.x]);
}
__global__ void gather(const int* idx, const float* x, float* y, int n) {
    int i = I;
    if (i < n) y[i] = x[idx[i]];
}
__global__ void scatter(const int* idx, const float* x, float* y, int n) {
    int i = I;
    if (i < n) y[idx[i]] = x[i];
}
__global__ void bsearch(const u* keys, const u* q, u* out, int n) {
    u k = q[I];
    int lo = 0, hi = n;
    while (lo < hi) {
        int m = (lo + hi) / 2;
        if (keys[m] < k)
            lo = m + 1;
        else
            hi = m;
        if (keys[m] == k) break;
    }
    out[I] = lo;
}
__global__ void bfs(const int* rows, const int* cols, const int* level, int* next, int l, int n) {
    int i = I;
    if (i >= n || level[i] != l) return;
    for (int k = rows[i]; k < rows[i + 1]; ++k) next[cols[k]] = l + 1;
}
__global__ void compact(const u* v, u* out, int n) {
    int i = I;
    if (i < n && (v[i] & 15) == 3) {
        u s = v[i];
        for (int k = 0; k < 20; ++k) s = mix(s);
        out[i] = s;
    }
}
__global__ void rare(const u* v, u* out, int n) {
    int i = I;
    if (i < n && (v[i] & 1023) == 3) {
        u s = v[i];
        for (int k = 0; k < 300; ++k) s = mix(s);
        out[i] = s;
    }
}
__global__ void heavy_tail(u* out) {
    u b = mix(blockIdx.x + 77);
    int r = 4 + (int)(20.0f / (0.02f + (b & 0xffff) / 65536.0f));
    u s = threadIdx.x;
    for (int k = 0; k < r; ++k) s = mix(s);
    out[I] = s;
}
__global__ void triangle(u* out) {
    u s = threadIdx.x;
    for (u k = 0; k < blockIdx.x / 64; ++k) s = mix(s);
    out[I] = s;
}
__global__ void periodic(u* out) {
    u s = threadIdx.x;
    for (u k = 0; k < 10 + 50 * (blockIdx.x % 7 == 0); ++k) s = mix(s);
    out[I] = s;
}
__global__ void period32(u* out) {
    u s = threadIdx.x;
    for (u k = 0; k < 10 + 200 * (blockIdx.x % 32 == 5); ++k) s = mix(s);
    out[I] = s;
}
__global__ void tri2d(float* a, int n) {
    int x = I, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > y) return;
    float s = 0;
    for (int k = x; k <= y && k < x + 64; ++k) s += a[k];
    a[(size_t)y * n + x] = s;
}
__global__ void raster(const int* box, u* out, int w) {
    int t = blockIdx.x;
    int x0 = box[4 * t], x1 = box[4 * t + 1], y0 = box[4 * t + 2], y1 = box[4 * t + 3];
    for (int y = y0; y < y1; ++y)
        for (int x = x0 + threadIdx.x; x < x1; x += blockDim.x) out[y * w + x] = t;
}
__global__ void bank(u* out) {
    __shared__ u s[2048];
    u st = mix(blockIdx.x) % 33;
    for (int k = 0; k < 8; ++k) s[(threadIdx.x * st) & 2047] = k;
    __syncthreads();
    out[I] = s[threadIdx.x];
}
__global__ void bitonic(u* v) {
    __shared__ u s[256];
    int t = threadIdx.x;
    s[t] = v[I];
    __syncthreads();
    for (int k = 2; k <= 256; k *= 2)
        for (int j = k / 2; j; j /= 2) {
            int o = t ^ j;
            if (o > t) {
                bool up = !(t & k);
                if ((s[t] > s[o]) == up) {
                    u x = s[t];
                    s[t] = s[o];
                    s[o] = x;
                }
            }
            __syncthreads();
        }
    v[I] = s[t];
}
__global__ void newton(const float* a, float* o) {
    float x = a[I], y = x * 0.5f + 0.1f;
    int k = 0;
    while (fabsf(y * y - x) > 1e-5f * x && k < 100) {
        y = 0.5f * (y + x / y);
        ++k;
    }
    o[I] = y;
}
__global__ void strcmp_(const unsigned char* a, const unsigned char* b, int* o) {
    int i = I, k = 0;
    while (k < 32 && a[i * 32 + k] == b[i * 32 + k]) ++k;
    o[i] = k;
}
__global__ void life(const u* in, u* out, int w, int h) {
    int x = I, y = blockIdx.y;
    if (x <= 0 || y <= 0 || x >= w - 1 || y >= h - 1) return;
    if (!in[y * w + x]) return;
    u c = 0;
    for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx) c += in[(y + dy) * w + x + dx];
    out[y * w + x] = c;
}
__global__ void montecarlo(u* out) {
    u s = mix(I + 5), n = 0;
    while ((s & 31) && n < 400) {
        s = mix(s + 1);
        ++n;
    }
    out[I] = n;
}
__global__ void clusters(u* out) {
    u s = threadIdx.x;
    u c = mix(blockIdx.x / 100) & 63;
    for (u k = 0; k < c; ++k) s = mix(s);
    out[I] = s;
}
__global__ void wave(u* out) {
    u s = threadIdx.x;
    int c = 40 + (int)(30 * sinf(blockIdx.x * 0.0003f));
    for (int k = 0; k < c; ++k) s = mix(s);
    out[I] = s;
}
__global__ void hash_insert(const u* keys, u* table, u mask) {
    u k = keys[I];
    u h = mix(k) & mask;
    for (int n = 0; n < 64; ++n) {
        u o = atomicCAS(&table[h], 0u, k);
        if (o == 0u || o == k) return;
        h = (h + 1) & mask;
    }
}
template <class T>
T* up(const std::vector<T>& v) {
    T* d;
    cudaMalloc(&d, v.size() * sizeof(T) + 64);
    cudaMemcpy(d, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice);
    return d;
}
int main(int argc, char** argv) {
    u seed = argc > 1 ? atoi(argv[1]) : 1;
    u st = seed * 2654435761u + 1;
    auto rnd = [&] {
        st = st * 1664525u + 1013904223u;
        return st >> 8;
    };
    const int n = 1 << 21, B = 64, G = n / B;
    std::vector<int> rows(n + 1);
    std::vector<int> cols;
    std::vector<u> v(n);
    std::vector<int> idx(n), level(n);
    std::vector<float> f(n);
    int len = 3;
    for (int i = 0; i < n; ++i) {
        if (i % 50 == 0) len = 1 + rnd() % 10;
        rows[i] = cols.size();
        int m = len;
        if (rnd() % 500 == 0) m = 100;
        for (int k = 0; k < m; ++k) cols.push_back(rnd() % n);
    }
    rows[n] = cols.size();
    for (int i = 0; i < n; ++i) {
        v[i] = rnd();
        idx[i] = i % 1000 < 500 ? i : rnd() % n;
        level[i] = (i / 3000) % 5 == 1 ? 1 : (rnd() % 20 == 0);
        f[i] = (rnd() % 10000 + 1) * (i % 700 < 30 ? 100.0f : 0.1f);
    }
    auto sorted = v;
    std::sort(sorted.begin(), sorted.end());
    std::vector<float> val(cols.size(), 0.5f);
    std::vector<int> box(4 * 40000);
    for (int t = 0; t < 40000; ++t) {
        int w = 1 << rnd() % 7, h = 1 << rnd() % 5;
        box[4 * t] = rnd() % 900;
        box[4 * t + 1] = box[4 * t] + w;
        box[4 * t + 2] = rnd() % 900;
        box[4 * t + 3] = box[4 * t + 2] + h;
    }
    std::vector<unsigned char> sa(n * 4), sb(n * 4);
    for (size_t i = 0; i < sa.size(); ++i) {
        sa[i] = rnd() % 2;
        sb[i] = rnd() % 8 ? sa[i] : 1;
    }
    std::vector<u> cells(2048 * 1024);
    for (int y = 0; y < 1024; ++y)
        for (int x = 0; x < 2048; ++x) cells[y * 2048 + x] = rnd() % (2 + y / 60) == 0;
    int *dr = up(rows), *dc = up(cols), *di = up(idx), *dl = up(level), *db = up(box);
    u *dv = up(v), *ds = up(sorted), *dcell = up(cells);
    float *df = up(f), *dval = up(val);
    auto *d1 = up(sa), *d2 = up(sb);
    u* o;
    cudaMalloc(&o, 64 << 20);
    cudaMemset(o, 0, 64 << 20);
    u* h;
    cudaMalloc(&h, 1024);
    float* of = (float*)o;
    int* oi = (int*)o;
    spmv<<<G, B>>>(dr, dc, dval, df, of, n);
    spmv_warp<<<G * 32 / 4, B>>>(dr, dc, dval, df, of, n / 4);
    mandel<<<dim3(16, 1024), B>>>(o, 2048, -2.0f, -1.2f, 0.0014f);
    collatz<<<G, B>>>(o, 1000 + seed);
    hist_shared<<<G, B>>>(dv, h, n);
    gather<<<G, B>>>(di, df, of, n);
    scatter<<<G, B>>>(di, df, of, n);
    bsearch<<<G, B>>>(ds, dv, o, n);
    bfs<<<G, B>>>(dr, dc, dl, oi, 1, n);
    compact<<<G, B>>>(dv, o, n);
    rare<<<G, B>>>(dv, o, n);
    heavy_tail<<<G, B>>>(o);
    triangle<<<16384, 64>>>(o);
    periodic<<<32768, 64>>>(o);
    period32<<<32768, 64>>>(o);
    tri2d<<<dim3(2048 / 32, 2048 / 4), dim3(32, 4)>>>(of, 2048);
    raster<<<40000, 64>>>(db, o, 1024);
    bank<<<32768, 64>>>(o);
    cudaMemcpy(o, dv, n * 4, cudaMemcpyDeviceToDevice);
    bitonic<<<n / 256, 256>>>(o);
    newton<<<G, B>>>(df, of);
    strcmp_<<<n / 8 / 64, 64>>>(d1, d2, oi);
    life<<<dim3(32, 1024), 64>>>(dcell, o, 2048, 1024);
    montecarlo<<<G, B>>>(o);
    clusters<<<32768, 64>>>(o);
    wave<<<32768, 64>>>(o);
    u* tab;
    cudaMalloc(&tab, 16 << 20);
    cudaMemset(tab, 0, 16 << 20);
    hash_insert<<<G, B>>>(dv, tab, (1 << 22) - 1);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
