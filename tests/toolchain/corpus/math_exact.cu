// PTX: cvt.rmi.f32.f32  cvt.rpi.f64.f64  cvt.rzi.f32.f32  cvt.rni.f64.f64  sqrt.rn.f32  sqrt.rn.f64  abs.f32  fma.rn.f32
extern "C" __global__ void test(const unsigned* in, unsigned* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float a = __uint_as_float(in[i]), b = (int)in[(i + 1) % n] * 1e-7f;
    double x = b * 1e3, y = a;
    unsigned r = 0;
#define F(e) { float t = (e); r = r * 31 + (t != t ? 77u : __float_as_uint(t)); }
#define D(e) { double t = (e); r = r * 31 + (t != t ? 77u : (unsigned)__double2loint(t) + __double2hiint(t)); }
    F(floorf(b)) F(ceilf(b)) F(truncf(b)) F(rintf(b)) F(roundf(b)) F(nearbyintf(a)) F(fabsf(a)) F(copysignf(a, b)) F(fminf(a, b))
    F(fmaxf(a, b)) F(fdimf(a, b)) F(sqrtf(fabsf(b))) F(fmaf(a, b, b)) F(ldexpf(a, (int)(in[i] % 300) - 150)) F(scalbnf(b, 3))
    F(fmodf(b, 1.5f)) F(remainderf(b, 0.75f)) F(nextafterf(a, b)) F(logbf(a)) F(a / b) F(1.0f / b)
    D(floor(x)) D(ceil(x)) D(trunc(x)) D(rint(x)) D(round(x)) D(fabs(x)) D(fmin(x, y)) D(fmax(x, y)) D(sqrt(fabs(x)))
    D(fma(x, y, x)) D(ldexp(y, (int)(in[i] % 3000) - 1500)) D(fmod(x, 1.75)) D(remainder(x, 0.75)) D(nextafter(x, y)) D(logb(y)) D(x / y)
    int e = 0;
    F(frexpf(a, &e)) r += e;
    D(frexp(y, &e)) r += e;
    float w;
    F(modff(b, &w)) F(w)
    r = r * 31 + ilogbf(a) + ilogb(y) + isnan(a) + 2 * isinf(a) + 4 * isfinite(b) + 8 * signbit(b);
    F(abs(b)) F(max(a, b)) D(min(x, 2.0f)) D(max(1.0f, x))
    out[i] = r;
}
