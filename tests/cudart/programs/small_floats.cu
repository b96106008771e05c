// Floating point of 8, 6 and 4 bits and complex numbers, on the host and in a kernel: every code there and back, and
// each rounding against the nearest of all codes; those of 6 and 4 bits against digests of what NVIDIA's headers
// (CUDA 13.5) give.
#include <cuComplex.h>
#include <cuda.h>
#include <cuda_fp4.h>
#include <cuda_fp6.h>
#include <cuda_fp8.h>

#include "check.h"

__host__ __device__ float nearest(float v, bool e4m3) {
    // By search: the closest finite number of the type, of two the one with the even code.
    float best = 0, distance = 1e30f;
    for (int code = 0; code < (e4m3 ? 0x7f : 0x7c); ++code) {
        __half_raw h = __nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)code, e4m3 ? __NV_E4M3 : __NV_E5M2);
        const float f = __half2float(__half(h)), d = fabsf(f - fabsf(v));
        if (d < distance || (d == distance && !(code & 1))) best = f, distance = d;
    }
    return v < 0 ? -best : best;
}

__host__ __device__ int wrong(int i) {
    int bad = 0;
    if (i < 256) {
        const auto code = (__nv_fp8_storage_t)i;
        if ((i & 0x7f) < 0x7f) {
            __nv_fp8_e4m3 x;
            x.__x = code;
            bad += __nv_fp8_e4m3((float)x).__x != code;
            bad += __nv_fp8_e4m3(__half(x)).__x != code;
        }
        if ((i & 0x7f) < 0x7c) {
            __nv_fp8_e5m2 x;
            x.__x = code;
            bad += __nv_fp8_e5m2((double)x).__x != code;
        }
    }
    const float v = (i & 1 ? -1.0f : 1.0f) * ldexpf(1.0f + (float)(i % 977) / 977.0f, i % 29 - 19);
    bad += (float)__nv_fp8_e4m3(v) != nearest(v, true);
    bad += (float)__nv_fp8_e5m2(v) != nearest(v, false);
    bad += __nv_cvt_float_to_fp8(1000.0f, __NV_NOSAT, __NV_E4M3) != 0x7f;
    bad += __nv_cvt_float_to_fp8(-1000.0f, __NV_SATFINITE, __NV_E4M3) != 0xfe;
    bad += __nv_cvt_float_to_fp8(1e9f, __NV_NOSAT, __NV_E5M2) != 0x7c;
    const float4 four = (float4)__nv_fp8x4_e4m3(float4{1.0f, -2.0f, 0.5f, 448.0f});
    bad += four.x != 1.0f || four.y != -2.0f || four.z != 0.5f || four.w != 448.0f;
    bad += (float)__nv_fp8_e8m0(3.0f) != 4.0f;
    // (1 + 2i) (3 - i) = 5 + 5i, and back; 3-4-5 where squares overflow.
    const cuFloatComplex product = cuCmulf(make_cuFloatComplex(1, 2), make_cuFloatComplex(3, -1));
    bad += cuCrealf(product) != 5 || cuCimagf(product) != 5;
    const cuDoubleComplex quotient = cuCdiv(make_cuDoubleComplex(5, 5), make_cuDoubleComplex(3, -1));
    bad += fabs(cuCreal(quotient) - 1) > 1e-15 || fabs(cuCimag(quotient) - 2) > 1e-15;
    bad += fabsf(cuCabsf(make_cuFloatComplex(3e30f, -4e30f)) / 5e30f - 1) > 1e-6f;
    return bad;
}

__global__ void check_all(int* bad) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (int n = wrong(i)) atomicAdd(bad, n);
}

/// A digest of the codes of every half and bfloat16 whose low byte is `low`, and of the numbers of all codes.
__host__ __device__ unsigned int digest(unsigned int low) {
    unsigned int h = 2166136261u;
    const auto mix = [&](unsigned int v) { h = (h ^ v) * 16777619u; };
    const auto nearest = cudaRoundNearest;
    for (unsigned int high = 0; high < 256; ++high) {
        const auto bits = (unsigned short)(high << 8 | low);
        __half_raw half;
        __nv_bfloat16_raw wide;
        half.x = wide.x = bits;
        mix(__nv_cvt_halfraw_to_fp4(half, __NV_E2M1, nearest));
        mix(__nv_cvt_bfloat16raw_to_fp4(wide, __NV_E2M1, nearest));
        mix(__nv_cvt_halfraw_to_fp6(half, __NV_E2M3, nearest));
        mix(__nv_cvt_bfloat16raw_to_fp6(wide, __NV_E2M3, nearest));
        mix(__nv_cvt_halfraw_to_fp6(half, __NV_E3M2, nearest));
        mix(__nv_cvt_bfloat16raw_to_fp6(wide, __NV_E3M2, nearest));
    }
    for (unsigned int code = 0; code < 16; ++code) mix(__nv_cvt_fp4_to_halfraw((__nv_fp4_storage_t)code, __NV_E2M1).x);
    for (unsigned int code = 0; code < 64; ++code) {
        mix(__nv_cvt_fp6_to_halfraw((__nv_fp6_storage_t)code, __NV_E2M3).x);
        mix(__nv_cvt_fp6_to_halfraw((__nv_fp6_storage_t)code, __NV_E3M2).x);
    }
    const float4 v = make_float4(1.3f, -2.6f, 100.0f, -0.2f);
    const __nv_fp4x4_e2m1 fours(v);
    const __nv_fp6x4_e3m2 sixes(v);
    mix(fours.__x);
    mix(sixes.__x);
    mix((unsigned int)(int)((float4)fours).z);
    mix((unsigned int)(int)((float4)sixes).z);
    return h;
}

__global__ void digest_all(unsigned int* out) { out[threadIdx.x] = digest(threadIdx.x); }

int main() {
    unsigned int *digests, here = 0, there = 0;
    OK(cudaMallocManaged(&digests, 256 * sizeof *digests));
    digest_all<<<1, 256>>>(digests);
    OK(cudaDeviceSynchronize());
    for (unsigned int low = 0; low < 256; ++low) here = here * 31 + digest(low), there = there * 31 + digests[low];
    CHECK(here == 0x3fc5e80u);
    CHECK(there == 0x3fc5e80u);
    OK(cudaFree(digests));
    int on_host = 0, on_device = -1, *d;
    for (int i = 0; i < 2048; ++i) on_host += wrong(i);
    OK(cudaMalloc(&d, sizeof(int)));
    OK(cudaMemset(d, 0, sizeof(int)));
    check_all<<<16, 128>>>(d);
    OK(cudaMemcpy(&on_device, d, sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(on_host == 0);
    CHECK(on_device == 0);
    std::printf("passed\n");
}
