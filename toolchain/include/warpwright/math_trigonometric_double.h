// Double-precision sine, cosine and tangent, our own: three-part reduction for moderate arguments, a product with 192 bits
// of 2/pi for large ones, then minimax polynomials. The reduced argument is a sum of two doubles.
#pragma once

// 2/pi as binary fraction, after 64 zero bits.
static __device__ const unsigned long long ww_two_over_pi_long[21] = {
    0x0000000000000000ull, 0xa2f9836e4e441529ull, 0xfc2757d1f534ddc0ull, 0xdb6295993c439041ull, 0xfe5163abdebbc561ull,
    0xb7246e3a424dd2e0ull, 0x06492eea09d1921cull, 0xfe1deb1cb129a73eull, 0xe88235f52ebb4484ull, 0xe99c7026b45f7e41ull,
    0x3991d639835339f4ull, 0x9c845f8bbdf9283bull, 0x1ff897ffde05980full, 0xef2f118b5a0a6d1full, 0x6d367ecf27cb09b7ull,
    0x4f463f669e5fea2dull, 0x7527bac7ebe5f17bull, 0x3d0739f78a5292eaull, 0x6bfb5fb11f8d5d08ull, 0x56033046fc7b6babull,
    0xf0cfbc209af4361dull};

struct ww_reduced {
    double hi, lo;
    int quadrant;
};
// As ww_reduce_large in math_elementary.h, with words of 64 bits.
WW_DEVICE_BODY ww_reduced ww_reduce_large(double x) {
    unsigned long long bits = (unsigned long long)__double_as_longlong(x);
    unsigned long long mantissa = (bits & 0xfffffffffffffull) | 0x10000000000000ull;
    int start = (int)((bits >> 52) & 2047u) - 1075 + 62;
    int word = start >> 6, shift = start & 63;
    unsigned long long w[3];
#pragma unroll
    for (int i = 0; i < 3; ++i) {
        unsigned long long high = ww_two_over_pi_long[word + i], low = ww_two_over_pi_long[word + i + 1];
        w[i] = shift == 0 ? high : (high << shift) | (low >> (64 - shift));
    }
    unsigned long long p2 = mantissa * w[2], p1 = mantissa * w[1], p0 = mantissa * w[0] + __umul64hi(mantissa, w[1]);
    unsigned long long carry = __umul64hi(mantissa, w[2]);
    p1 += carry;
    p0 += p1 < carry;
    int q = (int)(p0 >> 62);
    unsigned long long high = (p0 << 2) | (p1 >> 62), low = (p1 << 2) | (p2 >> 62);
    bool negative = (long long)high < 0;  // to the nearest quadrant
    if (negative) {
        ++q;
        low = 0 - low;
        high = ~high + (low == 0);
    }
    int zeros = 0;
    if (high == 0) high = low, low = 0, zeros = 64;
    int more = __clzll((long long)high);
    zeros += more;
    if (more != 0) high = (high << more) | (low >> (64 - more));
    double scale = __longlong_as_double((long long)(1023 - 53 - zeros) << 52);
    double a = (double)(high >> 11) * scale, b = (double)(high & 2047u) * (scale * 0x1p-11);
    ww_reduced r;
    r.hi = a * 0x1.921fb54442d18p+0;
    r.lo = __builtin_fma(a, 0x1.921fb54442d18p+0, -r.hi) + __builtin_fma(a, 0x1.1a62633145c07p-54, b * 0x1.921fb54442d18p+0);
    if (high == 0) r.hi = r.lo = 0.0;
    bool flip = negative != ((long long)bits < 0);
    if (flip) r.hi = -r.hi, r.lo = -r.lo;
    r.quadrant = (long long)bits < 0 ? -q : q;
    return r;
}
WW_DEVICE ww_reduced ww_reduce(double x) {
    double a = __builtin_fabs(x);
    ww_reduced r;
    if (a < 0x1p20) {
        double n = __builtin_rint(x * 0x1.45f306dc9c883p-1);
        double exact = __builtin_fma(n, -0x1.921fb54400000p+0, x), w = n * 0x1.0b4611a626331p-34;
        r.hi = exact - w;
        r.lo = (exact - r.hi) - w - __builtin_fma(n, 0x1.0b4611a626331p-34, -w) - n * 0x1.1701b839a2520p-88;
        r.quadrant = (int)n;
    } else if (a < __builtin_inf()) {
        r = ww_reduce_large(x);
    } else {
        r.hi = r.lo = x - x;
        r.quadrant = 0;
    }
    return r;
}
WW_DEVICE double ww_sine_kernel(double r, double lo) {
    double z = r * r;
    double p = -0x1.aaa47d36d5d03p-41;
    p = __builtin_fma(p, z, 0x1.612091273c580p-33);
    p = __builtin_fma(p, z, -0x1.ae645295e2563p-26);
    p = __builtin_fma(p, z, 0x1.71de3a5337a5ep-19);
    p = __builtin_fma(p, z, -0x1.a01a01a018acep-13);
    p = __builtin_fma(p, z, 0x1.111111111110bp-7);
    p = __builtin_fma(p, z, -0x1.5555555555555p-3);
    // The cosine of r weighs what the reduction lost.
    return r + __builtin_fma(p, z * r, __builtin_fma(-0.5 * z, lo, lo));
}
WW_DEVICE double ww_cosine_kernel(double r, double lo) {
    double z = r * r;
    double p = 0x1.aac4e993076f5p-45;
    p = __builtin_fma(p, z, -0x1.9393369583944p-37);
    p = __builtin_fma(p, z, 0x1.1eed8ca235358p-29);
    p = __builtin_fma(p, z, -0x1.27e4fb75fc2f7p-22);
    p = __builtin_fma(p, z, 0x1.a01a01a018dd7p-16);
    p = __builtin_fma(p, z, -0x1.6c16c16c16c10p-10);
    p = __builtin_fma(p, z, 0x1.5555555555555p-5);
    double half = 0.5 * z, main = 1.0 - half;
    return main + ((1.0 - main) - half + __builtin_fma(p, z * z, -r * lo));
}
WW_DEVICE double ww_sine(ww_reduced r, int extra) {
    int q = r.quadrant + extra;
    double y = q & 1 ? ww_cosine_kernel(r.hi, r.lo) : ww_sine_kernel(r.hi, r.lo);
    return q & 2 ? -y : y;
}
WW_DEVICE double sin(double x) { return x == 0.0 ? x : ww_sine(ww_reduce(x), 0); }
WW_DEVICE double cos(double x) { return ww_sine(ww_reduce(x), 1); }
WW_DEVICE void sincos(double x, double* s, double* c) {
    ww_reduced r = ww_reduce(x);
    *s = x == 0.0 ? x : ww_sine(r, 0);
    *c = ww_sine(r, 1);
}
WW_DEVICE double tan(double x) {
    ww_reduced r = ww_reduce(x);
    double s = ww_sine_kernel(r.hi, r.lo), c = ww_cosine_kernel(r.hi, r.lo);
    return x == 0.0 ? x : r.quadrant & 1 ? -c / s : s / c;
}
