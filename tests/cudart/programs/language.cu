// The language as programs use it: lambdas, function pointers, virtual functions, templates with extern shared memory, constant
// and managed memory, inline PTX, the heap, bit fields, recursion.
#include "check.h"

template <class T> struct SharedMemory {
    __device__ operator T*() { extern __shared__ int raw[]; return (T*)raw; }
    __device__ operator const T*() const { extern __shared__ int raw[]; return (T*)raw; }
};
template <> struct SharedMemory<double> {
    __device__ operator double*() { extern __shared__ double raw_d[]; return raw_d; }
};
template <class T, unsigned int Block> __global__ void reduce(const T* in, T* out, unsigned int n) {
    T* s = SharedMemory<T>();
    T sum = 0;
    for (unsigned int i = blockIdx.x * Block * 2 + threadIdx.x; i < n; i += Block * 2 * gridDim.x) {
        sum += in[i];
        if (i + Block < n) sum += in[i + Block];
    }
    s[threadIdx.x] = sum;
    __syncthreads();
    if (Block >= 256) { if (threadIdx.x < 128) s[threadIdx.x] = sum = sum + s[threadIdx.x + 128]; __syncthreads(); }
    if (Block >= 128) { if (threadIdx.x < 64) s[threadIdx.x] = sum = sum + s[threadIdx.x + 64]; __syncthreads(); }
    if (threadIdx.x < 32) {
        if (Block >= 64) sum += s[threadIdx.x + 32];
        for (int offset = warpSize / 2; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset);
    }
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}
template <class F> __global__ void for_each(int n, F f) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) f(i);
}
template <class... A> __device__ auto total(A... a) { return (a + ... + 0); }
typedef int (*operation)(int, int);
__device__ int plus_(int a, int b) { return a + b; }
__device__ int times_(int a, int b) { return a * b; }
__device__ operation table[2] = {plus_, times_};
__device__ operation chosen = times_;
struct shape { __device__ virtual float area() const = 0; __device__ virtual ~shape() {} };
struct square : shape { float a; __device__ square(float x) : a(x) {} __device__ float area() const override { return a * a; } };
struct circle : shape { float r; __device__ circle(float x) : r(x) {} __device__ float area() const override { return 3 * r * r; } };
struct packed { unsigned a : 3, b : 7, c : 22; };
struct coefficients { float w[8]; int n; };
__constant__ coefficients weights;
__constant__ int plain[3] = {5, 6, 7};
__managed__ int shared_with_host = 4;
__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__device__ int lane_by_ptx() { int l; asm volatile("mov.u32 %0, %%laneid;" : "=r"(l)); return l; }
__device__ unsigned long long wide_by_ptx(unsigned a, unsigned b) {
    unsigned long long r;
    asm("{\n\t.reg .u64 t;\n\tmul.wide.u32 t, %1, %2;\n\tadd.u64 %0, t, 1;\n\t}" : "=l"(r) : "r"(a), "r"(b));
    return r;
}
__global__ void __launch_bounds__(128, 2) everything(float* f, int* o, long long* l) {
    const int i = threadIdx.x;
    shape* s = i % 2 ? (shape*)new square(i) : (shape*)new circle(i);
    f[i] = s->area();
    delete s;
    float w = 0;
    for (int k = 0; k < weights.n; ++k) w += weights.w[k] * plain[k % 3];
    f[128 + i] = w;
    packed p; p.a = i; p.b = i * 3; p.c = i * 100;
    o[i] = table[i & 1](i, 3) + chosen(2, i) + total(1, i, 2) + p.a + p.b + p.c;
    o[128 + i] = fibonacci(i % 12) + lane_by_ptx() + shared_with_host;
    l[i] = wide_by_ptx(4000000000u, i);
    auto t = threadIdx; auto [x, y, z] = make_uint3(t.x, t.y, t.z);
    o[256 + i] = x + y + z + [&](auto a) { return a * 2; }(i);
    union { float f; unsigned u; } bits; bits.f = i;
    o[384 + i] = bits.u >> 23;
    switch (i % 5) { case 0: o[512 + i] = 10; break; case 1: case 2: o[512 + i] = 20; break; default: o[512 + i] = 30; }
    o[640 + i] = __syncthreads_count(i % 3 == 0) * 4 + __syncthreads_or(i == 7) * 2 + __syncthreads_and(i < 128);
    int* heap = (int*)malloc(16); heap[i % 4] = i; o[768 + i] = heap[i % 4]; free(heap);
}
int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
template <class T> void check_reduce() {
    const int n = 5000;
    T *in, *out, host[n], got[8], sum = 0, all = 0;
    for (int i = 0; i < n; ++i) sum += host[i] = (T)(i % 17);
    OK(cudaMalloc(&in, sizeof host)); OK(cudaMalloc(&out, sizeof got));
    OK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    reduce<T, 256><<<8, 256, 256 * sizeof(T)>>>(in, out, n);
    OK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (T g : got) all += g;
    CHECK(all == sum);
}
int main() {
    check_reduce<int>(); check_reduce<float>(); check_reduce<double>(); check_reduce<long long>();
    int* p; OK(cudaMallocManaged(&p, 400));
    const int base = 7;
    for_each<<<1, 128>>>(100, [=] __device__(int i) { p[i] = i * i + base; });
    for_each<<<1, 128>>>(50, [=] __host__ __device__(int i) { p[i] += 1; });
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < 100; ++i) CHECK(p[i] == i * i + 7 + (i < 50));
    coefficients c = {{1, 2, 3, 4, 5, 6, 7, 8}, 8};
    OK(cudaMemcpyToSymbol(weights, &c, sizeof c));
    operation h; OK(cudaMemcpyFromSymbol(&h, chosen, sizeof h));
    shared_with_host = 1000;
    float *f, gf[256]; int *o, go[896]; long long *l, gl[128];
    OK(cudaMalloc(&f, sizeof gf)); OK(cudaMalloc(&o, sizeof go)); OK(cudaMalloc(&l, sizeof gl));
    everything<<<1, 128>>>(f, o, l);
    OK(cudaGetLastError());
    OK(cudaMemcpy(gf, f, sizeof gf, cudaMemcpyDeviceToHost)); OK(cudaMemcpy(go, o, sizeof go, cudaMemcpyDeviceToHost)); OK(cudaMemcpy(gl, l, sizeof gl, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 128; ++i) {
        CHECK(gf[i] == (i % 2 ? 1.0f : 3.0f) * i * i);
        float w = 0; int plain_[3] = {5, 6, 7}; for (int k = 0; k < 8; ++k) w += c.w[k] * plain_[k % 3];
        CHECK(gf[128 + i] == w);
        CHECK(go[i] == (i & 1 ? i * 3 : i + 3) + 2 * i + 3 + i + i % 8 + i * 3 % 128 + i * 100);
        CHECK(go[128 + i] == fib(i % 12) + i % 32 + 1000);
        CHECK(gl[i] == 4000000000ll * i + 1);
        CHECK(go[256 + i] == 3 * i);
        float fi = i; unsigned u; memcpy(&u, &fi, 4); CHECK(go[384 + i] == (int)(u >> 23));
        CHECK(go[512 + i] == (i % 5 == 0 ? 10 : i % 5 < 3 ? 20 : 30));
        CHECK(go[640 + i] == 43 * 4 + 2 + 1);
        CHECK(go[768 + i] == i);
    }
    std::puts("passed");
}
