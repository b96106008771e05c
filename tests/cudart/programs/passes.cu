// What our passes do to loops, addresses and branches leaves results as they are: each body runs on the device and on
// the host, whose compiler has none of these passes.
#include <cmath>
#include <vector>

#include "check.h"

constexpr int kThreads = 64, kWords = 4096;

#define BODY(name)                                                                                    \
    struct name {                                                                                     \
        __host__ __device__ static void run(int t, const int* in, int* out, int n, int m);            \
    };                                                                                                \
    __host__ __device__ void name::run(int t, const int* in, int* out, int n, int m)

// Constant strides: one index, two, several arrays, downwards, and in a loop of its own.
BODY(stride_one) { int s = m; for (int k = 0; k < n; ++k) s += in[k * 64 + t]; out[t] = s; }
BODY(stride_two) {
    int s = m;
    for (int k = 0; k < n; ++k) s += in[k * 64 + t] * in[k * 64 + 63 - t] - in[(k + 1) * 64 + t];
    out[t] = s;
}
BODY(stride_down) { int s = m; for (int k = 0; k < n; ++k) s = s * 3 + in[(n - 1 - k) * 64 + t]; out[t] = s; }
BODY(stride_nested) {
    for (int i = 0; i < m; ++i) {
        int s = i;
        for (int j = 0; j < i + n; ++j) s = s * 5 + in[j * 32 + t] - in[j * 32 + i];
        out[i * 64 + t] = s;
    }
}
// What is written is read again, at constant distances and others, and through another pointer.
BODY(forwarded) {
    out[t] = m;
    for (int k = 1; k <= n; ++k) out[k * 64 + t] = out[(k - 1) * 64 + t] * 3 + in[k * 64 + t];
}
BODY(forwarded_along) {
    int* row = out + t * 64;
    row[0] = m;
    for (int k = 1; k < n + 1; ++k) {
        row[k] = row[k - 1] + in[t * 64 + k];
        out[t * 64 + k - 1] ^= row[k];
        row[k] += out[t * 64 + k - 1];
    }
}
BODY(rotated) {
    int* a = out + t * 64;
    for (int k = 0; k < 64; ++k) a[k] = in[k] + t;
    int side = 3 + n % 5, last = side - 1 - m % 2;
    for (int i = m % 2; i < last; ++i) {
        int off = i - m % 2, top = a[(m % 2) * side + i];
        a[(m % 2) * side + i] = a[(last - off) * side + m % 2];
        a[(last - off) * side + m % 2] = a[last * side + (last - off)];
        a[last * side + (last - off)] = a[i * side + last];
        a[i * side + last] = top;
    }
}
// Indices whose sums go round, though no element does.
BODY(goes_round) {
    unsigned at = (unsigned)t - 640u;
    int s = 0;
    for (int k = 0; k < n; ++k) {
        const int i = (int)(at + 640u + (unsigned)k * 64u), j = (int)((unsigned)k * 4294967232u + 1024u + (unsigned)t);
        s = s * 7 + in[i] - in[j];
    }
    out[t] = s;
}
// Strides that only the launch knows, in the index and in the counter.
BODY(stride_known_later) {
    int s = 0;
    for (int k = 0; k < n; ++k) s = s * 3 + in[k * m + t];
    for (int k = 0; k < n; ++k) s += in[t * m + k] * in[k * m + t];
    out[t] = s;
}
BODY(steps) {
    int s = 0, by = m + 1;
    for (int i = t; i < n * 16; i += by) s = s * 3 + in[i];
    for (int i = t - 70; i < n - 70; i += by) s += in[i + 70];
    for (int i = 0; i < n && in[i] > -100; i += by) s ^= in[i];
    out[t] = s;
}
BODY(triangle) {
    int s = 0;
    for (int i = 0; i < 15; ++i)
        for (int j = 0; j < i; ++j) s = s * 3 + in[i * 16 + j] + (j == n);
    for (int i = n; i > 0; --i)
        for (int j = i; j < n; ++j) s = s * 5 + in[j];
    out[t] = s;
}
BODY(first_round) {
    int s = 0;
    for (int i = 0; i < n; ++i) { s = s * 3 + in[i]; if (i == 0) s += t; if (i == 1) out[64 + t] = s; }
    out[t] = s;
}
// Bits that are counted, and loops that nearly do.
BODY(bits) {
    unsigned x = in[t] * 2654435761u * (t != 3);
    int a = m, b = 0, d = 0;
    signed char c = 125;
    for (unsigned y = x; y; y &= y - 1) ++a;
    for (unsigned long long y = (unsigned long long)x << 20 | x; y; y &= y - 1) ++c;
    for (unsigned y = x; y; y &= y - 2) if (++b > 40) break;
    unsigned last = 0;
    for (unsigned y = x; y; y &= y - 1) { last = y; ++d; }
    unsigned other = x | 1;
    int e = 0;
    do { ++e; other &= other - 1; } while (other);
    int f = 0;
    for (unsigned y = x; y; y &= y - 1) f += 2;
    out[t] = a; out[64 + t] = c; out[128 + t] = b; out[192 + t] = d + (int)last; out[256 + t] = e; out[320 + t] = f;
}
BODY(fields) {
    const unsigned x = in[t] * 2654435761u + n;
    const unsigned long long y = x * 0x9e3779b97f4a7c15ull;
    out[t] = (x >> 8 & 0xff) + (x >> 28 & 0xf) * (x & 0x3ff) + ((int)(x << 8) >> 24) - ((int)(x << 27) >> 27);
    out[64 + t] = (int)((y >> 40 & 0xfff) + (y & 0x1ffffffffull) * (y >> 63) + (unsigned)((long long)(y << 7) >> 50));
    const unsigned char* bytes = (const unsigned char*)(in + t);
    out[192 + t] = (int)(bytes[0] * 16777619ull + bytes[1] * (unsigned)bytes[2] - (signed char)bytes[3]);
    out[128 + t] = (x >> 31) + (x >> 5 & 1) * ((x & 0xff000000u) >> 24);
}
BODY(written_out) {  // a count of bits that the source writes out
    unsigned x = in[t] * 2654435761u;
    x -= x >> 1 & 0x55555555u;
    x = (x & 0x33333333u) + (x >> 2 & 0x33333333u);
    x = (x + (x >> 4)) & 0x0f0f0f0fu;
    out[t] = (x * 0x01010101u >> 24) + m;
}
// Vectors of which a part is read, with writes in between, and the last one there is.
BODY(parts) {
    const int4* v = (const int4*)in;
    int4* w = (int4*)out;
    const short4* h = (const short4*)in;
    const int4 a = v[t];
    w[t] = make_int4(a.x + a.z, a.y, a.w, a.x);
    int s = w[t].x;
    w[t].z = n;
    s += w[t].z * 3 + w[t].w;
    w[t].x = m;
    s -= w[t].x + w[t].z;
    const int4* last = v + kWords / 4 - 1;
    s += last->x * last->w + h[t].x - h[t].z * h[kWords / 2 - 1].w;
    w[64 + t] = make_int4(s, v[t + n].y + v[t + n].z, v[t].x + v[t].z + v[t].w, h[t].x + h[t].y + h[t].z);
}
BODY(ways) {  // addresses that are needed on two ways, and known on none
    int s = 0;
    for (int k = 0; k < n; ++k) {
        if ((t + k) % 3 == 0) s += in[(t + k) * 8 + 3] + in[(t + k) * 8 + 4];
        else if ((t + k) % 3 == 1) s -= in[(t + k) * 8 + 3];
        else s ^= in[t + k];
        s += in[(t - k + 64) * 8 + k % 8];
    }
    out[t] = s;
}

// Neighbours by constants below and above zero, in a loop and in none, and loops that add what they do not change.
BODY(neighbours) {
    const int i = 2 + t / 8, j = 2 + t % 8, w = n + 9;
    int s = in[(i - 1) * 16 + (j - 1)] * 3 - in[(i + 1) * 16 + j + 1] + in[i * 16 + (j - 2)] + in[i * 16 + j] * 5;
    s ^= in[i * w + (j + 1)] * 7 + in[i * w + j] - in[i * w + (j - 1)] + in[(60 - i) * 16 + j] * in[(61 - i) * 16 + j];
    for (int k = 0; k < m; ++k)
        for (int l = 0; l < 3; ++l) s = s * 3 + in[(k + 2) * 16 + (j - 1)] - in[(k + 1) * 16 + j] + in[(k * 5 + n) & 31];
    out[t] = s;
}
BODY(wrapped) {  // sums of unsigned numbers that come back to small indices, of either sign
    const unsigned u = (unsigned)in[t] ^ 0x7fffffffu;
    const int j = (int)(u + 0x7fffffffu), k = (int)(u - 0x7fffffd0u), l = (int)(u * 3u + 0x80000010u);
    int s = n;
    if (j > -60 && j < 60) s += (in + 64)[j];
    if (k >= 0 && k < 120) s += (in + m)[k] * 3;
    if (l >= 0 && l < 240) s += in[l] * 5;
    out[t] = s;
}
BODY(kept_sums) {
    int s = m;
    for (int k = 0; k < n; ++k) s += in[t + k] * in[64 + m + k] - in[m + k] * in[128 + t + k];
    for (int k = m; k < n + m; ++k) s = s * 3 + in[t + k] * in[k * n + t] + in[t + k + 1];
    for (int k = 0; k < n; ++k) out[64 + t * 20 + k] = in[t + k] - in[t + k + 256] + s;
    for (int k = 0; k < 1024; ++k) s += in[t + k] ^ in[m + k];
    out[t] = s;
}
struct Quad { int a, b, c, d; };
BODY(copies) {
    auto v = ((const uchar4*)in)[t];
    v.x += v.y;
    if (v.z > 99) v.w = n;
    ((uchar4*)out)[t] = v;
    Quad q = ((const Quad*)in)[t];
    for (int k = 0; k < n; ++k) q.b += q.a * m + k;
    ((Quad*)(out + 256))[t] = q;
}

template <class Body>
__global__ void on_device(const int* in, int* out, int n, int m) { Body::run(threadIdx.x, in, out, n, m); }

template <class Body>
void same(const char* name, const int* in, int* out) {
    std::vector<int> wanted(kWords);
    for (int n = 0; n < 12; ++n)
        for (int m : {0, 1, 2, 5, 7}) {
            for (int k = 0; k < kWords; ++k) out[k] = wanted[k] = k % 7;
            on_device<Body><<<1, kThreads>>>(in, out, n, m);
            CHECK(cudaDeviceSynchronize() == cudaSuccess);
            for (int t = 0; t < kThreads; ++t) Body::run(t, in, wanted.data(), n, m);
            for (int k = 0; k < kWords; ++k)
                if (out[k] != wanted[k]) {
                    std::printf("%s, n %d, m %d: word %d is %d, not %d\n", name, n, m, k, out[k], wanted[k]);
                    CHECK(out[k] == wanted[k]);
                }
        }
}
#define SAME(body) same<body>(#body, in, out)

// Shared memory: addresses that are one, written in two ways, on several ways, across writes and barriers.
struct Four { int a, b, c, d; };
__global__ void shared(const int* in, int* out, int n) {
    __shared__ int u[256];
    __shared__ Four f[64];
    const unsigned t = threadIdx.x;
    for (int k = 0; k < 4; ++k) u[k * 64 + t] = in[k * 64 + t];
    f[t] = Four{(int)t, in[t], n, (int)t * 2};
    __syncthreads();
    int s = 0;
    for (int k = 0; k < n; ++k) {
        const unsigned x = (t * 5 + k) % 64;
        int* behind = u + 128 + 1;
        s += u[128 - x] - (behind)[~x];  // one element: always 0
        if (t % 3 == 0) s += u[t + x + 1] * 3;
        else if (t % 3 == 1) s -= u[t + x + 1] + u[t + x + 2];
        else s ^= u[x];
        __syncthreads();
        u[t + x % 2 * 64] = s;
        s += u[t + x % 2 * 64] + u[255 - t];
        __syncthreads();
        const Four g = f[x];
        s += g.a + g.c * g.d + f[63 - x].b;
        if (t == (unsigned)k) f[x].c = s;
        __syncthreads();
    }
    out[t] = s;
}
void shared_on_host(const int* in, int* out, int n) {
    std::vector<int> u(in, in + 256), s(64);
    std::vector<Four> f(64);
    for (int t = 0; t < 64; ++t) f[t] = Four{t, in[t], n, t * 2};
    for (int k = 0; k < n; ++k) {
        const auto x = [&](int t) { return (t * 5 + k) % 64; };
        for (int t = 0; t < 64; ++t) {
            if (t % 3 == 0) s[t] += u[t + x(t) + 1] * 3;
            else if (t % 3 == 1) s[t] -= u[t + x(t) + 1] + u[t + x(t) + 2];
            else s[t] ^= u[x(t)];
        }
        for (int t = 0; t < 64; ++t) u[t + x(t) % 2 * 64] = s[t];
        for (int t = 0; t < 64; ++t) s[t] += u[t + x(t) % 2 * 64] + u[255 - t];
        for (int t = 0; t < 64; ++t) s[t] += f[x(t)].a + f[x(t)].c * f[x(t)].d + f[63 - x(t)].b;
        if (k < 64) f[x(k)].c = s[k];
    }
    std::copy(s.begin(), s.end(), out);
}

// Parts of one array in shared memory.
__global__ void partitioned(const int* in, int* out, int n, int m) {
    extern __shared__ int s[];
    const int t = threadIdx.x;
    int *b = s + n + 1, *c = b + n + 1;
    s[t] = in[t]; b[t] = in[t + 64]; c[t] = in[t + 128];
    __syncthreads();
    int sum = 0;
    for (int k = 0; k < m; ++k) {
        const int j = (t + k) & 63;
        sum = sum * 3 + b[j] - c[j] * 5 + s[j] + c[63 - j];
    }
    out[t] = sum;
}
void parts_of_shared_memory(const int* in, int* out) {
    for (int m = 0; m < 7; ++m) {
        partitioned<<<1, 64, 400 * sizeof(int)>>>(in, out, 64 + m, m);
        CHECK(cudaDeviceSynchronize() == cudaSuccess);
        for (int t = 0; t < 64; ++t) {
            int sum = 0;
            for (int k = 0; k < m; ++k) {
                const int j = (t + k) & 63;
                sum = sum * 3 + in[64 + j] - in[128 + j] * 5 + in[j] + in[128 + 63 - j];
            }
            CHECK(out[t] == sum);
        }
    }
}

// A place that all threads read, whose index is below zero until the constant is added.
__global__ void below_zero(const int* in, int* out, int n, int m, int w) {
    extern __shared__ int s[];
    s[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    const int* b = s + 40 + n;
    out[threadIdx.x] = b[(m - 8) * w + 2];
}
void places_below_zero(const int* in, int* out) {
    for (int m = 0; m < 8; ++m) {
        below_zero<<<1, 64, 64 * sizeof(int)>>>(in, out, m, m, 3);
        CHECK(cudaDeviceSynchronize() == cudaSuccess);
        for (int t = 0; t < 64; ++t) CHECK(out[t] == in[40 + m + (m - 8) * 3 + 2]);
    }
}

__global__ void powers(const float* x, const float* y, float* out, int n) {
    for (int i = threadIdx.x; i < n * n; i += blockDim.x) out[i] = powf(x[i / n], y[i % n]);
}
void special_powers() {
    const float inf = INFINITY;
    const std::vector<float> numbers{0.0f, -0.0f, 1.0f, -1.0f, 2.0f, -2.0f, 0.5f, -0.5f, 3.0f, -3.0f, 1.5f, -1.5f, 16777217.0f,
                                     -16777215.0f, 1e-40f, -1e-40f, 3e38f, -3e38f, inf, -inf, NAN, 0.9999999f, 127.0f, -149.0f};
    const int n = (int)numbers.size();
    float *x, *out;
    CHECK(cudaMallocManaged(&x, n * sizeof(float)) == cudaSuccess);
    CHECK(cudaMallocManaged(&out, n * n * sizeof(float)) == cudaSuccess);
    std::copy(numbers.begin(), numbers.end(), x);
    powers<<<1, 64>>>(x, x, out, n);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    for (int i = 0; i < n * n; ++i) {
        const double exact = std::pow((double)x[i / n], (double)x[i % n]);
        const float wanted = (float)exact, got = out[i];
        const bool equal = std::isnan(wanted) ? std::isnan(got)
                                              : std::signbit(wanted) == std::signbit(got) &&
                                                    (wanted == got || std::fabs((double)got - exact) <= 8e-7 * std::fabs(exact) + 1e-44);
        if (!equal) std::printf("powf(%g, %g) is %g, not %g\n", x[i / n], x[i % n], got, wanted);
        CHECK(equal);
    }
}

int main() {
    int *in, *out;
    CHECK(cudaMallocManaged(&in, kWords * sizeof(int)) == cudaSuccess);
    CHECK(cudaMallocManaged(&out, kWords * sizeof(int)) == cudaSuccess);
    for (int k = 0; k < kWords; ++k) in[k] = (k * 37 + k / 64) % 101 - 50;
    SAME(stride_one); SAME(stride_two); SAME(stride_down); SAME(stride_nested);
    SAME(forwarded); SAME(forwarded_along); SAME(rotated); SAME(goes_round);
    SAME(stride_known_later); SAME(steps); SAME(triangle); SAME(first_round);
    SAME(neighbours); SAME(wrapped); SAME(kept_sums); SAME(copies); SAME(bits); SAME(fields); SAME(written_out); SAME(parts); SAME(ways);
    std::vector<int> wanted(64);
    for (int n = 0; n < 9; ++n) {
        shared<<<1, 64>>>(in, out, n);
        CHECK(cudaDeviceSynchronize() == cudaSuccess);
        shared_on_host(in, wanted.data(), n);
        for (int t = 0; t < 64; ++t) CHECK(out[t] == wanted[t]);
    }
    parts_of_shared_memory(in, out);
    places_below_zero(in, out);
    special_powers();
    std::printf("passed\n");
}
