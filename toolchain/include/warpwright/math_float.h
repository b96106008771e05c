// Single-precision functions of the CUDA math API: the f-suffixed names and the fast intrinsics. Accuracy:
// docs/math-accuracy.md.
#pragma once

#include "warpwright/math_library.h"

WW_DEVICE float __fdividef(float a, float b) {
    float r;
    __asm__("div.approx" WW_FTZ ".f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
    return r;
}

#include "warpwright/math_elementary.h"
#include "warpwright/math_inverse.h"

WW_DEVICE float fabsf(float x) { return __builtin_fabsf(x); }
WW_DEVICE float floorf(float x) { return __builtin_floorf(x); }
WW_DEVICE float ceilf(float x) { return __builtin_ceilf(x); }
WW_DEVICE float truncf(float x) { return __builtin_truncf(x); }
WW_DEVICE float rintf(float x) { return __builtin_rintf(x); }
WW_DEVICE float nearbyintf(float x) { return __builtin_nearbyintf(x); }
WW_DEVICE float roundf(float x) {
    // Half away from zero: the largest float below 0.5 keeps 0.49999997 from rounding up.
    return __builtin_truncf(x + __builtin_copysignf(0x1.fffffep-2f, x));
}
WW_DEVICE float copysignf(float x, float y) { return __builtin_copysignf(x, y); }
WW_DEVICE float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
WW_DEVICE float fminf(float a, float b) { return __builtin_fminf(a, b); }
WW_DEVICE float fmaxf(float a, float b) { return __builtin_fmaxf(a, b); }
WW_DEVICE float fdimf(float a, float b) { return a <= b ? 0.0f : a - b; }
WW_DEVICE float hypotf(float a, float b) {
    // In double neither the squares nor their sum can overflow, and rounding twice costs less than 2^-24 ulp.
    double s = __builtin_fma((double)a, (double)a, (double)b * (double)b);
    float r = (float)__nvvm_sqrt_rn_d(s);
    return __builtin_isinf(a) || __builtin_isinf(b) ? WW_INFINITY : r;
}
#ifdef WARPWRIGHT_FAST_MATH
WW_DEVICE float sqrtf(float x) { return __nvvm_sqrt_approx_ftz_f(x); }
WW_DEVICE float rsqrtf(float x) { return __nvvm_rsqrt_approx_ftz_f(x); }
#else
WW_DEVICE float sqrtf(float x) { return __nvvm_sqrt_rn_f(x); }
WW_DEVICE float rsqrtf(float x) { return __nvvm_rsqrt_approx_f(x); }
#endif
WW_DEVICE float rcbrtf(float x) { return 1.0f / ww_cbrt(x); }
WW_DEVICE float cbrtf(float x) { return ww_cbrt(x); }
WW_DEVICE float erff(float x) { return ww_erf(x); }
WW_DEVICE float nextafterf(float x, float y) {
    if (x != x || y != y) return x + y;
    if (x == y) return y;
    int bits = __float_as_int(x);
    if (x == 0.0f) return __builtin_copysignf(__int_as_float(1), y);
    return __int_as_float((x < y) == (bits >= 0) ? bits + 1 : bits - 1);
}

// The fast intrinsics: the special function unit, within the errors that the PTX ISA states.
#ifdef WARPWRIGHT_FAST_MATH
WW_DEVICE float __expf(float x) { return __nvvm_ex2_approx_ftz_f(x * 1.4426950408889634f); }
WW_DEVICE float __exp10f(float x) { return __nvvm_ex2_approx_ftz_f(x * 3.3219280948873623f); }
WW_DEVICE float __log2f(float x) { return __nvvm_lg2_approx_ftz_f(x); }
WW_DEVICE float __sinf(float x) { return __nvvm_sin_approx_ftz_f(x); }
WW_DEVICE float __cosf(float x) { return __nvvm_cos_approx_ftz_f(x); }
#else
WW_DEVICE float __expf(float x) { return __nvvm_ex2_approx_f(x * 1.4426950408889634f); }
WW_DEVICE float __exp10f(float x) { return __nvvm_ex2_approx_f(x * 3.3219280948873623f); }
WW_DEVICE float __log2f(float x) { return __nvvm_lg2_approx_f(x); }
WW_DEVICE float __sinf(float x) { return __nvvm_sin_approx_f(x); }
WW_DEVICE float __cosf(float x) { return __nvvm_cos_approx_f(x); }
#endif
WW_DEVICE float __logf(float x) { return __log2f(x) * 0.6931471805599453f; }
WW_DEVICE float __log10f(float x) { return __log2f(x) * 0.30102999566398120f; }
WW_DEVICE float __powf(float x, float y) { return __nvvm_ex2_approx_f(y * __log2f(x)); }
WW_DEVICE float __tanhf(float x) {
    float r;
    __asm__("tanh.approx.f32 %0, %1;" : "=f"(r) : "f"(x));
    return r;
}
WW_DEVICE float __tanf(float x) { return __fdividef(__sinf(x), __cosf(x)); }
WW_DEVICE void __sincosf(float x, float* s, float* c) {
    *s = __sinf(x);
    *c = __cosf(x);
}
// Through double precision: its two roundings are 29 bits finer than the last one.
WW_DEVICE float __frsqrt_rn(float x) { return (float)(1.0 / __nvvm_sqrt_rn_d(x)); }
