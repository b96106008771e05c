// PTX: ex2.approx  lg2.approx.f32  sin.approx.f32  cos.approx.f32  rsqrt.approx.f32  div.approx.f32|div.full.f32  fma.rn.f32
__global__ void more(float* p) {
    float s, c;
    sincosf(p[1], &s, &c);
    p[0] = s + c + sinf(p[2]) + cosf(p[3]) + tanf(p[4]) + asinf(p[5]) + acosf(p[6]) + atanf(p[7]) + atan2f(p[8], p[9]) + sinhf(p[10]) +
           coshf(p[11]) + tanhf(p[12]) + asinhf(p[13]) + acoshf(p[14]) + atanhf(p[15]) + expf(p[16]) + exp2f(p[17]) + exp10f(p[18]) +
           expm1f(p[19]) + logf(p[20]) + log2f(p[21]) + log10f(p[22]) + log1pf(p[23]) + powf(p[24], p[25]) + cbrtf(p[26]) + erff(p[27]) +
           erfcf(p[28]) + lgammaf(p[29]) + tgammaf(p[30]) + sinpif(p[31]) + cospif(p[32]) + hypotf(p[33], p[34]) + rsqrtf(p[35]) +
           rcbrtf(p[36]) + norm3df(p[37], p[38], p[39]) + rhypotf(p[40], p[41]) + erfinvf(p[42]) + normcdff(p[43]) + erfcxf(p[44]) +
           normcdfinvf(p[45]) + erfcinvf(p[46]) + j0f(p[47]) + j1f(p[48]) + y0f(p[49]) + y1f(p[50]) + jnf(3, p[51]) + ynf(3, p[52]) +
           cyl_bessel_i0f(p[53]) + cyl_bessel_i1f(p[54]) + sin(p[55]) + std::exp(p[56]) + pow(p[57], 3.0f) + exp10(p[58]);
}
extern "C" __global__ void test(const unsigned* in, unsigned* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float a = (in[i] & 0xffff) * 1e-4f + 0.001f, b = (in[i] >> 16) * 1e-4f + 0.001f;
    unsigned r = 0;
    // Single instructions on the machine: these agree to the bit.
    r = r * 31 + __float_as_uint(__log2f(a));
    r = r * 31 + __float_as_uint(rsqrtf(a));
    r = r * 31 + __float_as_uint(__sinf(a));
    r = r * 31 + __float_as_uint(__cosf(b));
    r = r * 31 + __float_as_uint(__expf(-b));
    r = r * 31 + __float_as_uint(__fdividef(a, b));
    r = r * 31 + __float_as_uint(__logf(a)) + __float_as_uint(__log10f(a)) + __float_as_uint(__exp10f(-a));
    out[i] = r;
}
