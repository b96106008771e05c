// Double-precision functions of the CUDA math API, under their f-less names. Accuracy: docs/math-accuracy.md.
#pragma once

#include "warpwright/math_trigonometric_double.h"

WW_DEVICE double fabs(double x) { return __builtin_fabs(x); }
WW_DEVICE double floor(double x) { return __builtin_floor(x); }
WW_DEVICE double ceil(double x) { return __builtin_ceil(x); }
WW_DEVICE double trunc(double x) { return __builtin_trunc(x); }
WW_DEVICE double rint(double x) { return __builtin_rint(x); }
WW_DEVICE double nearbyint(double x) { return __builtin_nearbyint(x); }
WW_DEVICE double round(double x) { return __builtin_trunc(x + __builtin_copysign(0x1.fffffffffffffp-2, x)); }
WW_DEVICE double copysign(double x, double y) { return __builtin_copysign(x, y); }
WW_DEVICE double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
WW_DEVICE double fmin(double a, double b) { return __builtin_fmin(a, b); }
WW_DEVICE double fmax(double a, double b) { return __builtin_fmax(a, b); }
WW_DEVICE double fdim(double a, double b) { return a <= b ? 0.0 : a - b; }
WW_DEVICE double sqrt(double x) { return __nvvm_sqrt_rn_d(x); }
WW_DEVICE double rsqrt(double x) { return 1.0 / __nvvm_sqrt_rn_d(x); }
WW_DEVICE double rcbrt(double x) { return 1.0 / ww_cbrt(x); }
WW_DEVICE double acos(double x) { return ww_acos(x); }
WW_DEVICE double acosh(double x) { return ww_acosh(x); }
WW_DEVICE double asin(double x) { return ww_asin(x); }
WW_DEVICE double asinh(double x) { return x == 0.0 ? x : ww_asinh(x); }
WW_DEVICE double atan(double x) { return x == 0.0 ? x : ww_atan(x); }
WW_DEVICE double atanh(double x) { return ww_atanh(x); }
WW_DEVICE double cbrt(double x) { return x == 0.0 ? x : ww_cbrt(x); }
WW_DEVICE double cospi(double x) { return ww_cospi(x); }
WW_DEVICE double erf(double x) { return x == 0.0 ? x : ww_erf(x); }
WW_DEVICE double erfc(double x) { return ww_erfc(x); }
WW_DEVICE double exp(double x) { return ww_exp(x); }
WW_DEVICE double expm1(double x) { return x == 0.0 ? x : ww_expm1(x); }
WW_DEVICE double lgamma(double x) { return ww_lgamma(x); }
WW_DEVICE double log(double x) { return ww_log(x); }
WW_DEVICE double log1p(double x) { return x == 0.0 ? x : ww_log1p(x); }
WW_DEVICE double log10(double x) { return ww_log10(x); }
WW_DEVICE double log2(double x) { return ww_log2(x); }
WW_DEVICE double sinpi(double x) { return x == 0.0 ? x : ww_sinpi(x); }
WW_DEVICE double exp2(double x) { return ww_exp2(x); }
WW_DEVICE double exp10(double x) { return ww_exp10(x); }
WW_DEVICE double atan2(double x, double y) { return ww_atan2(x, y); }
WW_DEVICE double fmod(double x, double y) { return ww_fmod(x, y); }
WW_DEVICE double nextafter(double x, double y) {
    if (x != x || y != y) return x + y;
    if (x == y) return y;
    long long bits = __double_as_longlong(x);
    if (x == 0.0) return __builtin_copysign(__longlong_as_double(1), y);
    return __longlong_as_double((x < y) == (bits >= 0) ? bits + 1 : bits - 1);
}
WW_DEVICE double pow(double x, double y) { return ww_pow(x, y); }
WW_DEVICE double remainder(double x, double y) { return ww_remainder(x, y); }
WW_DEVICE void sincospi(double x, double* s, double* c) {
    *s = sinpi(x);
    *c = cospi(x);
}

// Hyperbolic functions through expm1, which keeps small arguments exact; libclc's read past their tables for large ones.
WW_DEVICE double sinh(double x) {
    double a = __builtin_fabs(x), y;
    if (a < 22.0) {
        double t = ww_expm1(a);
        y = 0.5 * (t + t / (t + 1.0));
    } else {
        double half = ww_exp(0.5 * a);  // the whole exponential overflows before the result does
        y = 0.5 * half * half;
    }
    return __builtin_copysign(a < 0x1p-28 ? a : y, x);
}
WW_DEVICE double cosh(double x) {
    double a = __builtin_fabs(x), half = ww_exp(0.5 * a);
    if (a > 22.0) return 0.5 * half * half;
    double t = ww_exp(a);
    return 0.5 * t + 0.5 / t;
}
WW_DEVICE double tanh(double x) {
    double a = __builtin_fabs(x);
    double t = ww_expm1(2.0 * (a < 22.0 ? a : 22.0));
    double y = t / (t + 2.0);
    return x != x ? x : __builtin_copysign(a < 0x1p-28 ? a : y, x);
}

// Stirling's series from 12 on, where eight terms suffice; below, the recurrence brings the argument there.
WW_DEVICE_BODY double ww_gamma_positive(double x) {
    if (x > 172.0) return __builtin_inf();
    double product = 1.0;
#pragma nounroll
    while (x < 12.0) {
        product *= x;
        x += 1.0;
    }
    double r = 1.0 / x, z = r * r;
    double s = 1.0 / 156;
    s = __builtin_fma(s, z, -691.0 / 360360);
    s = __builtin_fma(s, z, 1.0 / 1188);
    s = __builtin_fma(s, z, -1.0 / 1680);
    s = __builtin_fma(s, z, 1.0 / 1260);
    s = __builtin_fma(s, z, -1.0 / 360);
    s = __builtin_fma(s, z, 1.0 / 12);
    double half = ww_pow(x, 0.5 * x - 0.25);  // x^(x - 1/2) in two factors: the whole overflows before the result does
    // e^-x on its own: the small term would disturb its argument's last bit, which counts x times.
    return half * (ww_exp(-x) * ww_exp(s * r) * 0x1.40d931ff62706p+1) * half / product;
}
WW_DEVICE double tgamma(double x) {
    if (__builtin_fabs(x) < 0x1p-60) return 1.0 / x;
    if (x > 0.0 || x != x) return x > 0.0 ? ww_gamma_positive(x) : x;
    if (__builtin_trunc(x) == x) return __longlong_as_double(0x7fffffffffffffffll);
    // Reflection; far out the quotient is below every subnormal.
    double s = ww_sinpi(x);
    return x < -184.0 ? __builtin_copysign(0.0, s) * -1.0 : -0x1.921fb54442d18p+1 / (s * x) / ww_gamma_positive(-x);
}
