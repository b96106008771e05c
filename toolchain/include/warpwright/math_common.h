// Functions built the same way in both precisions: roundings to integers, exponents, classification, norms.
#pragma once

#define WW_TO_INTEGER(type, from, name, rounding, c_to, c_from, ptx)      \
    WW_DEVICE type name(from x) {                                         \
        type r;                                                           \
        __asm__(ptx " %0, %1;" : c_to(r) : c_from(rounding(x)));          \
        return r;                                                         \
    }
// To nearest even is one conversion; half away from zero rounds first.
WW_TO_INTEGER(long, float, lrintf, , "=l", "f", "cvt.rni.s64.f32")
WW_TO_INTEGER(long long, float, llrintf, , "=l", "f", "cvt.rni.s64.f32")
WW_TO_INTEGER(long, float, lroundf, roundf, "=l", "f", "cvt.rzi.s64.f32")
WW_TO_INTEGER(long long, float, llroundf, roundf, "=l", "f", "cvt.rzi.s64.f32")
WW_TO_INTEGER(long, double, lrint, , "=l", "d", "cvt.rni.s64.f64")
WW_TO_INTEGER(long long, double, llrint, , "=l", "d", "cvt.rni.s64.f64")
WW_TO_INTEGER(long, double, lround, round, "=l", "d", "cvt.rzi.s64.f64")
WW_TO_INTEGER(long long, double, llround, round, "=l", "d", "cvt.rzi.s64.f64")
#undef WW_TO_INTEGER
WW_DEVICE long lrint(float x) { return lrintf(x); }
WW_DEVICE long long llrint(float x) { return llrintf(x); }
WW_DEVICE long lround(float x) { return lroundf(x); }
WW_DEVICE long long llround(float x) { return llroundf(x); }

// x * 2^n in three steps, none of which rounds before the last: a result that is subnormal rounds once.
WW_DEVICE float ldexpf(float x, int n) {
    n = n > 400 ? 400 : n < -400 ? -400 : n;
    // Through double, whose range holds every intermediate value; the conversion rounds.
    return (float)((double)x * __longlong_as_double((long long)(n + 1023) << 52));
}
WW_DEVICE double ldexp(double x, int n) {
    n = n > 2200 ? 2200 : n < -2200 ? -2200 : n;
    double y = x;
    if (n > 1023) {
        y *= 0x1p1023;
        n -= 1023;
        if (n > 1023) {
            y *= 0x1p1023;
            n -= 1023;
            n = n > 1023 ? 1023 : n;
        }
    } else if (n < -1022) {
        // 2^-969 keeps 53 bits above the subnormal threshold for the step that rounds.
        y *= 0x1p-969;
        n += 969;
        if (n < -1022) {
            y *= 0x1p-969;
            n += 969;
            n = n < -1022 ? -1022 : n;
        }
    }
    return y * __longlong_as_double((long long)(n + 1023) << 52);
}
WW_DEVICE float scalbnf(float x, int n) { return ldexpf(x, n); }
WW_DEVICE double scalbn(double x, int n) { return ldexp(x, n); }
WW_DEVICE float scalblnf(float x, long n) { return ldexpf(x, n > 400 ? 400 : n < -400 ? -400 : (int)n); }
WW_DEVICE double scalbln(double x, long n) { return ldexp(x, n > 2200 ? 2200 : n < -2200 ? -2200 : (int)n); }
WW_DEVICE float ldexp(float x, int n) { return ldexpf(x, n); }
WW_DEVICE float scalbn(float x, int n) { return ldexpf(x, n); }

WW_DEVICE int ilogbf(float x) {
    unsigned int bits = __float_as_uint(x) & 0x7fffffffu;
    if (bits == 0) return -2147483647 - 1;
    if (bits >= 0x7f800000u) return bits == 0x7f800000u ? 2147483647 : -2147483647 - 1;
    return bits < 0x800000u ? -118 - __clz((int)bits) : (int)(bits >> 23) - 127;
}
WW_DEVICE int ilogb(double x) {
    unsigned long long bits = (unsigned long long)__double_as_longlong(x) & 0x7fffffffffffffffull;
    if (bits == 0) return -2147483647 - 1;
    if (bits >= 0x7ff0000000000000ull) return bits == 0x7ff0000000000000ull ? 2147483647 : -2147483647 - 1;
    return bits < 0x10000000000000ull ? -1011 - __clzll((long long)bits) : (int)(bits >> 52) - 1023;
}
WW_DEVICE float logbf(float x) {
    if (x == 0.0f) return -WW_INFINITY;
    if (__builtin_isinf(x) || x != x) return x * x;
    return (float)ilogbf(x);
}
WW_DEVICE double logb(double x) {
    if (x == 0.0) return -__builtin_inf();
    if (__builtin_isinf(x) || x != x) return x * x;
    return (double)ilogb(x);
}
WW_DEVICE int ilogb(float x) { return ilogbf(x); }
WW_DEVICE float logb(float x) { return logbf(x); }

WW_DEVICE float frexpf(float x, int* e) {
    *e = 0;
    if (x == 0.0f || __builtin_isinf(x) || x != x) return x + x;
    int n = ilogbf(x) + 1;
    *e = n;
    return (float)((double)x * __longlong_as_double((long long)(1023 - n) << 52));
}
WW_DEVICE double frexp(double x, int* e) {
    *e = 0;
    if (x == 0.0 || __builtin_isinf(x) || x != x) return x + x;
    int n = ilogb(x) + 1;
    *e = n;
    return ldexp(x, -n);
}
WW_DEVICE float frexp(float x, int* e) { return frexpf(x, e); }
WW_DEVICE float modff(float x, float* whole) {
    float t = __builtin_truncf(x);
    *whole = t;
    return __builtin_copysignf(__builtin_isinf(x) ? 0.0f : x - t, x);
}
WW_DEVICE double modf(double x, double* whole) {
    double t = __builtin_trunc(x);
    *whole = t;
    return __builtin_copysign(__builtin_isinf(x) ? 0.0 : x - t, x);
}
WW_DEVICE float modf(float x, float* whole) { return modff(x, whole); }

// Where libclc's single-precision versions flush or lose their tails: double precision, rounded once (fmod and remainder
// of two floats are floats).
WW_DEVICE float erfcf(float x) { return (float)ww_erfc((double)x); }
WW_DEVICE float lgammaf(float x) { return (float)ww_lgamma((double)x); }
WW_DEVICE float tgammaf(float x) { return (float)tgamma((double)x); }
WW_DEVICE float fmodf(float x, float y) { return (float)ww_fmod((double)x, (double)y); }
WW_DEVICE float remainderf(float x, float y) { return (float)ww_remainder((double)x, (double)y); }
__device__ double ww_remquo(double, double, int*) __asm__("_Z6remquoddPi");
WW_DEVICE float remquof(float x, float y, int* q) { return (float)ww_remquo((double)x, (double)y, q); }
WW_DEVICE double remquo(double x, double y, int* q) { return ww_remquo(x, y, q); }
WW_DEVICE float remquo(float x, float y, int* q) { return remquof(x, y, q); }

WW_DEVICE float nanf(const char*) { return __int_as_float(0x7fffffff); }
WW_DEVICE double nan(const char*) { return __longlong_as_double(0x7fffffffffffffffll); }

#define WW_CLASSIFY(type)                                                             \
    WW_DEVICE bool isnan(type x) { return x != x; }                                   \
    WW_DEVICE bool isinf(type x) { return __builtin_isinf(x); }                       \
    WW_DEVICE bool isfinite(type x) { return __builtin_isfinite(x); }                 \
    WW_DEVICE bool isnormal(type x) { return __builtin_isnormal(x); }                 \
    WW_DEVICE bool isgreater(type x, type y) { return x > y; }                        \
    WW_DEVICE bool isgreaterequal(type x, type y) { return x >= y; }                  \
    WW_DEVICE bool isless(type x, type y) { return x < y; }                           \
    WW_DEVICE bool islessequal(type x, type y) { return x <= y; }                     \
    WW_DEVICE bool islessgreater(type x, type y) { return x < y || x > y; }           \
    WW_DEVICE bool isunordered(type x, type y) { return x != x || y != y; }
WW_CLASSIFY(float)
WW_CLASSIFY(double)
#undef WW_CLASSIFY
WW_DEVICE bool signbit(float x) { return __float_as_int(x) < 0; }
WW_DEVICE bool signbit(double x) { return __double_as_longlong(x) < 0; }
WW_DEVICE int __isnanf(float x) { return x != x; }
WW_DEVICE int __isinff(float x) { return __builtin_isinf(x); }
WW_DEVICE int __finitef(float x) { return __builtin_isfinite(x); }
WW_DEVICE int __isnan(double x) { return x != x; }
WW_DEVICE int __isinf(double x) { return __builtin_isinf(x); }
WW_DEVICE int __finite(double x) { return __builtin_isfinite(x); }
WW_DEVICE int __signbitf(float x) { return __float_as_int(x) < 0; }
WW_DEVICE int __signbit(double x) { return __double_as_longlong(x) < 0; }

WW_DEVICE double hypot(double a, double b) {
    a = __builtin_fabs(a);
    b = __builtin_fabs(b);
    double high = __builtin_fmax(a, b), low = __builtin_fmin(a, b);
    // Scaled by a power of two to near 1: squares neither overflow nor vanish, and the scaling is exact.
    int e = ilogb(high);
    bool plain = high == 0.0 || !__builtin_isfinite(high);
    e = plain ? 0 : e;
    double h = plain ? high : ldexp(high, -e), l = plain ? low : ldexp(low, -e);
    double r = ldexp(__nvvm_sqrt_rn_d(__builtin_fma(h, h, l * l)), e);
    if (__builtin_isinf(a) || __builtin_isinf(b)) return __builtin_inf();
    return a != a || b != b ? a + b : r;
}
WW_DEVICE double rhypot(double a, double b) { return 1.0 / hypot(a, b); }
WW_DEVICE float rhypotf(float a, float b) { return 1.0f / hypotf(a, b); }
WW_DEVICE double norm3d(double a, double b, double c) { return hypot(hypot(a, b), c); }
WW_DEVICE double norm4d(double a, double b, double c, double d) { return hypot(hypot(a, b), hypot(c, d)); }
WW_DEVICE double rnorm3d(double a, double b, double c) { return 1.0 / norm3d(a, b, c); }
WW_DEVICE double rnorm4d(double a, double b, double c, double d) { return 1.0 / norm4d(a, b, c, d); }
WW_DEVICE double ww_square(float a) { return (double)a * (double)a; }
WW_DEVICE float norm3df(float a, float b, float c) { return (float)__nvvm_sqrt_rn_d(ww_square(a) + ww_square(b) + ww_square(c)); }
WW_DEVICE float norm4df(float a, float b, float c, float d) {
    return (float)__nvvm_sqrt_rn_d(ww_square(a) + ww_square(b) + (ww_square(c) + ww_square(d)));
}
WW_DEVICE float rnorm3df(float a, float b, float c) {
    return (float)(1.0 / __nvvm_sqrt_rn_d(ww_square(a) + ww_square(b) + ww_square(c)));
}
WW_DEVICE float rnorm4df(float a, float b, float c, float d) {
    return (float)(1.0 / __nvvm_sqrt_rn_d(ww_square(a) + ww_square(b) + (ww_square(c) + ww_square(d))));
}
WW_DEVICE float normf(int n, const float* v) {
    double sum = 0.0;
    for (int i = 0; i < n; ++i) sum += ww_square(v[i]);
    return (float)__nvvm_sqrt_rn_d(sum);
}
WW_DEVICE float rnormf(int n, const float* v) {
    double sum = 0.0;
    for (int i = 0; i < n; ++i) sum += ww_square(v[i]);
    return (float)(1.0 / __nvvm_sqrt_rn_d(sum));
}
WW_DEVICE double norm(int n, const double* v) {
    double r = 0.0;
    for (int i = 0; i < n; ++i) r = hypot(r, v[i]);
    return r;
}
WW_DEVICE double rnorm(int n, const double* v) { return 1.0 / norm(n, v); }
