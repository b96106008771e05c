// PTX: fma.rn.f16x2  fma.rn.f16  add.rn.f16x2|add.f16x2  mul.rn.f16|mul.f16  cvt.rn.f16.f32  cvt.f32.f16  cvt.rz.f16.f32  max.f16
// PTX: min.NaN.f16  atom.global.add.noftz.f16x2|atom.add.noftz.f16x2  shfl.sync.bfly.b32
#include <cuda_fp16.h>
__global__ void sums(half2* p, half* q) {
    atomicAdd(p, p[threadIdx.x]);
    atomicAdd(q, q[threadIdx.x]);
}
extern "C" __global__ void test(const unsigned* in, unsigned* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    half a = __float2half((int)in[i] * 1e-7f), b = __float2half_rn((in[i] & 1023) * 0.01f), z = __float2half_rz((int)in[i] * 3e-8f);
    half2 v = __halves2half2(a, b), w = __floats2half2_rn(0.5f, 1.25f), s = __half2half2(z);
    unsigned r = 0;
#define H(e) r = r * 31 + __half_as_ushort(e);
#define P(e) { half2 t = (e); H(__low2half(t)) H(__high2half(t)) }
    H(__hadd(a, b)) H(__hsub(a, b)) H(__hmul(a, b)) H(__hfma(a, b, z)) H(a / (b + half(1))) H(__hneg(a)) H(__habs(a))
    H(__hmax(a, b)) H(__hmin(a, b)) H(__hmin_nan(a, b)) H(hsqrt(__habs(a))) H(hfloor(a)) H(hceil(a)) H(htrunc(a)) H(hrint(b))
    H(__hadd_sat(a, b)) H(__hfma_relu(a, b, z)) H(__float2half_rd(0.1f * (in[i] & 7))) H(__float2half_ru(0.1f * (in[i] & 7)))
    H(__int2half_rn((int)in[i] >> 16)) H(__double2half((int)in[i] * 0.3e-6)) H(__shfl_xor_sync(__activemask(), a, 1))
    P(__hfma2(v, w, s)) P(v + w) P(v * s) P(v - w) P(__hmul2(v, v)) P(__hlt2(v, w)) P(__lowhigh2highlow(v)) P(__hmax2(v, s)) P(-v)
    r = r * 31 + (a < b) + 2 * (a == a) + 4 * __hge(a, z) + 8 * __hisnan(a) + 16 * __hbgt2(v, w) + 32 * __hneu(a, b);
    r = r * 31 + __half2int_rn(a) + __half2uint_rd(b) + __half2short_rz(a) + (unsigned)__half2ll_ru(b);
    a += b;
    a *= z;
    float2 f = __half22float2(v);
    r = r * 31 + __half_as_ushort(a) + __float_as_uint(f.x + f.y) + __float_as_uint(__half2float(b));
    out[i] = r;
}
