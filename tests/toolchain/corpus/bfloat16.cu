// PTX: fma.rn.bf16x2  fma.rn.bf16  cvt.rn.bf16.f32  max.bf16  min.NaN.bf16
#include <cuda_bf16.h>
__global__ void sums(__nv_bfloat162* p, __nv_bfloat16* q) {
    atomicAdd(p, p[threadIdx.x]);
    atomicAdd(q, q[threadIdx.x]);
}
extern "C" __global__ void test(const unsigned* in, unsigned* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    __nv_bfloat16 a = __float2bfloat16((int)in[i] * 1e-7f), b = __float2bfloat16_rn((in[i] & 1023) * 0.01f), z = __float2bfloat16_rz((int)in[i] * 3e-8f);
    __nv_bfloat162 v = __halves2bfloat162(a, b), w = __floats2bfloat162_rn(0.5f, 1.25f), s = __bfloat162bfloat162(z);
    unsigned r = 0;
#define H(e) r = r * 31 + __bfloat16_as_ushort(e);
#define P(e) { __nv_bfloat162 t = (e); H(__low2bfloat16(t)) H(__high2bfloat16(t)) }
    H(__hadd(a, b)) H(__hsub(a, b)) H(__hmul(a, b)) H(__hfma(a, b, z)) H(__hneg(a)) H(__habs(a)) H(__hmax(a, b)) H(__hmin(a, b))
    H(__hmin_nan(a, b)) H(hfloor(a)) H(hceil(a)) H(htrunc(a)) H(__hfma_relu(a, b, z)) H(__float2bfloat16_rd(0.1f * (in[i] & 7)))
    H(__float2bfloat16_ru(0.1f * (in[i] & 7))) H(__int2bfloat16_rn((int)in[i] >> 8)) H(__double2bfloat16(0.3 * (int)in[i]))
    P(__hfma2(v, w, s)) P(v + w) P(v * s) P(v - w) P(__hlt2(v, w)) P(__hmax2(v, s)) P(-v)
    r = r * 31 + (a < b) + 2 * (a == a) + 4 * __hge(a, z) + 8 * __hisnan(a) + 16 * __hbgt2(v, w);
    r = r * 31 + __bfloat162int_rn(a) + __bfloat162uint_rd(b);
    out[i] = r * 31 + __float_as_uint(__bfloat162float(b));
}
