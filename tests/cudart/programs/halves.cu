// Half precision and bfloat16 as programs use them: arithmetic, pairs, comparisons, conversions, shuffles, atomics.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cmath>
#include "check.h"
__global__ void halves(const float* x, float* o, __half* sum, __half2* sums) {
    const int i = threadIdx.x;
    __half a = __float2half(x[i]), b = __float2half_rn(0.5f);
    __half2 p = __halves2half2(a, b), q = __float2half2_rn(2.0f);
    float* r = o + i * 24;
    *r++ = __half2float(a + b * a);
    *r++ = __half2float(__hfma(a, b, a));
    *r++ = __low2float(__hfma2(p, q, p));
    *r++ = __high2float(__hmul2(p, q));
    *r++ = __half2float(hsqrt(__habs(a)));
    *r++ = __half2float(hexp(a));
    *r++ = __half2float(hlog(__hadd(__habs(a), __float2half(1))));
    *r++ = __hgt(a, b) ? 1 : 0;
    *r++ = __heq(a, a) && !__hisnan(a) && __hlt(b, __hadd(b, b)) ? 1 : 0;
    *r++ = __half2float(__hmax(a, b)) + __half2float(__hmin(a, b));
    *r++ = (float)__half2int_rn(a) + __half2short_rz(a) + __half2uint_rd(__habs(a));
    *r++ = __half2float(__int2half_rn(i)) + __half2float(__ushort2half_rn(3));
    *r++ = __half2float(__ushort_as_half(__half_as_ushort(a)));
    const float2 f = __half22float2(__lowhigh2highlow(p));
    *r++ = f.x * 100 + f.y;
    *r++ = __half2float(__shfl_xor_sync(0xffffffffu, a, 1));
    *r++ = __half2float(hceil(a)) + __half2float(hfloor(a)) + __half2float(htrunc(a)) + __half2float(hrint(a));
    *r++ = __half2float(hrcp(__float2half(4))) + __half2float(hrsqrt(__float2half(4)));
    __half c = a; c += b; c *= b; c -= a; ++c;
    *r++ = __half2float(c);
    *r++ = __low2float(h2exp2(q)) + __low2float(h2rcp(q));
    __nv_bfloat16 u = __float2bfloat16(x[i]), v = __float2bfloat16(0.25f);
    *r++ = __bfloat162float(u * v + u);
    *r++ = __bfloat162float(__hfma(u, v, u));
    __nv_bfloat162 w = __floats2bfloat162_rn(x[i], 3.0f);
    *r++ = __bfloat162float(__hadd2(w, w).x) + __bfloat162float(__hmul2(w, w).y);
    *r++ = __hgt(u, v) ? 1 : 0;
    atomicAdd(sum, __float2half(1.0f));
    atomicAdd(sums, __floats2half2_rn(1.0f, 2.0f));
}
float h(float x) { return __half2float(__float2half(x)); }
float b(float x) { return __bfloat162float(__float2bfloat16(x)); }
// Copies out of volatile memory, as the complex numbers of CUDA's C++ library make them.
struct Pair {
    __half x;
    __nv_bfloat16 y;
};
__device__ __half first(const volatile Pair& p) { return p.x; }
__device__ __nv_bfloat16 second(const volatile Pair& p) { return p.y; }
__global__ void from_volatile(const Pair* p, float* out) {
    out[0] = float(first(*p));
    out[1] = float(second(*p));
}
int main() {
    const int n = 32;
    float *x, *o; __half* sum; __half2* sums;
    OK(cudaMallocManaged(&x, 4 * n)); OK(cudaMallocManaged(&o, 4 * n * 24)); OK(cudaMallocManaged(&sum, 8)); OK(cudaMallocManaged(&sums, 8));
    *sum = __float2half(0); *sums = __floats2half2_rn(0, 0);
    for (int i = 0; i < n; ++i) x[i] = h(i * 0.37f - 4);
    halves<<<1, n>>>(x, o, sum, sums);
    OK(cudaDeviceSynchronize());
    CHECK(__half2float(*sum) == 32 && __low2float(*sums) == 32 && __high2float(*sums) == 64);
    for (int i = 0; i < n; ++i) {
        const float a = x[i], *r = o + i * 24, fused = h(a * 0.5f + a);
#define NEAR(k, want, e) if (!(std::fabs(r[k] - (want)) <= (e) * (1 + std::fabs(want)))) { std::printf("%d: x %g gives %g, not %g\n", k, a, r[k], (double)(want)); return 1; }
        NEAR(0, fused, 1e-3) NEAR(1, fused, 0) NEAR(2, h(3 * a), 0) NEAR(3, 1.0f, 0) NEAR(4, std::sqrt(std::fabs(a)), 1e-3) NEAR(5, std::exp(a), 2e-3)
        NEAR(6, std::log(h(std::fabs(a) + 1)), 2e-3) NEAR(7, a > 0.5f, 0) NEAR(8, 1.0f, 0) NEAR(9, a + 0.5f, 1e-6)
        NEAR(10, std::nearbyint(a) + std::trunc(a) + std::floor(std::fabs(a)), 0) NEAR(11, i + 3.0f, 0) NEAR(12, a, 0) NEAR(13, 50 + a, 1e-6)
        NEAR(14, x[i ^ 1], 0) NEAR(15, std::ceil(a) + std::floor(a) + std::trunc(a) + std::nearbyint(a), 0) NEAR(16, 0.75f, 1e-3)
        NEAR(17, h(h(h(h(a + 0.5f) * 0.5f) - a) + 1), 1e-3) NEAR(18, 4.5f, 1e-3) NEAR(19, b(1.25f * b(a)), 8e-3) NEAR(20, b(1.25f * b(a)), 4e-3)
        NEAR(21, b(2 * b(a)) + 9, 1e-3) NEAR(22, b(a) > 0.25f, 0)
    }
    const Pair pair{__half(1.5f), __nv_bfloat16(2.5f)};
    Pair* there;
    float *values, both[2];
    cudaMalloc(&there, sizeof pair), cudaMalloc(&values, sizeof both);
    cudaMemcpy(there, &pair, sizeof pair, cudaMemcpyHostToDevice);
    from_volatile<<<1, 1>>>(there, values);
    cudaMemcpy(both, values, sizeof both, cudaMemcpyDeviceToHost);
    if (both[0] != 1.5f || both[1] != 2.5f) return std::printf("volatile: %g, %g\n", both[0], both[1]), 1;
    std::puts("passed");
}
