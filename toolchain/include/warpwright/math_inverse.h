// Single-precision inverse trigonometric and hyperbolic functions, our own (see math_elementary.h).
#pragma once

// (asin(x) - x) / x for z = x^2 up to 1/4.
WW_DEVICE float ww_asin_polynomial(float z) {
    float p = 0x1.33d742p-5f;
    p = __builtin_fmaf(p, z, 0x1.d7a7a0p-7f);
    p = __builtin_fmaf(p, z, 0x1.04ab04p-5f);
    p = __builtin_fmaf(p, z, 0x1.6cabb6p-5f);
    p = __builtin_fmaf(p, z, 0x1.333892p-4f);
    p = __builtin_fmaf(p, z, 0x1.55554cp-3f);
    return p * z;
}
WW_DEVICE float asinf(float x) {
    float a = __builtin_fabsf(x);
    bool high = a > 0.5f;
    // asin(a) = pi/2 - 2 asin(sqrt((1 - a) / 2))
    float z = high ? __builtin_fmaf(a, -0.5f, 0.5f) : a * a;
    float s = high ? __nvvm_sqrt_rn_f(z) : a;
    float y = __builtin_fmaf(ww_asin_polynomial(z), s, s);
    if (high) y = __builtin_fmaf(y, -2.0f, -0x1.777a5cp-25f) + 0x1.921fb6p+0f;
    return __builtin_copysignf(y, x);
}
WW_DEVICE float acosf(float x) {
    float a = __builtin_fabsf(x);
    bool high = a > 0.5f;
    float z = high ? __builtin_fmaf(a, -0.5f, 0.5f) : a * a;
    float s = high ? __nvvm_sqrt_rn_f(z) : x;
    float y = __builtin_fmaf(ww_asin_polynomial(z), s, s);
    if (!high) return 0x1.921fb6p+0f - (y + 0x1.777a5cp-25f);
    y = y + y;
    return x < 0.0f ? 0x1.921fb6p+1f - (y + 0x1.777a5cp-24f) : y;
}
// atan of t in [0, 1].
WW_DEVICE float ww_atan_polynomial(float t) {
    float z = t * t;
    float p = -0x1.defe9cp-10f;
    p = __builtin_fmaf(p, z, 0x1.6a8f6ep-7f);
    p = __builtin_fmaf(p, z, -0x1.01af6ep-5f);
    p = __builtin_fmaf(p, z, 0x1.dd0eb0p-5f);
    p = __builtin_fmaf(p, z, -0x1.58dc66p-4f);
    p = __builtin_fmaf(p, z, 0x1.c0d27ep-4f);
    p = __builtin_fmaf(p, z, -0x1.2426f8p-3f);
    p = __builtin_fmaf(p, z, 0x1.999276p-3f);
    p = __builtin_fmaf(p, z, -0x1.555540p-2f);
    return __builtin_fmaf(p * z, t, t);
}
WW_DEVICE float atanf(float x) {
    float a = __builtin_fabsf(x);
    bool high = a > 1.0f;
    float y = ww_atan_polynomial(high ? 1.0f / a : a);
    if (high) y = 0x1.921fb6p+0f - (y + 0x1.777a5cp-25f);
    return __builtin_copysignf(y, x);
}
WW_DEVICE float atan2f(float y, float x) {
    float ax = __builtin_fabsf(x), ay = __builtin_fabsf(y);
    if (!(ax == ax && ay == ay)) return x + y;
    float low = __builtin_fminf(ax, ay), high = __builtin_fmaxf(ax, ay);
    // The quotient of two zeros is 0 here, that of two infinities 1.
    float t = high == 0.0f ? 0.0f : low == high ? 1.0f : low / high;
    float a = ww_atan_polynomial(t);
    if (ay > ax) a = 0x1.921fb6p+0f - (a + 0x1.777a5cp-25f);
    if (__float_as_int(x) < 0) a = 0x1.921fb6p+1f - (a + 0x1.777a5cp-24f);
    return __builtin_copysignf(a, y);
}

#if defined(WARPWRIGHT_FAST_MATH) && (!defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 750)
WW_DEVICE float tanhf(float x) {
    float y;
    asm("tanh.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
#else
// Both are computed in any case, as by nvcc: lanes do not part.
WW_DEVICE float tanhf(float x) {
    float a = __builtin_fabsf(x), z = x * x;
    float p = -0x1.9bba40p-8f;
    p = __builtin_fmaf(p, z, 0x1.595680p-6f);
    p = __builtin_fmaf(p, z, -0x1.b92bbap-5f);
    p = __builtin_fmaf(p, z, 0x1.110d3cp-3f);
    p = __builtin_fmaf(p, z, -0x1.55554cp-2f);
    float near = __builtin_fmaf(p * z, a, a);
    float e = __nvvm_ex2_approx_ftz_f(a * 0x1.715476p+1f);
    float far = __builtin_fmaf(__nvvm_rcp_approx_ftz_f(e + 1.0f), -2.0f, 1.0f);
    float y;  // an instruction that clang has not
    asm("copysign.f32 %0, %1, %2;" : "=f"(y) : "f"(x), "f"(a < 0.55f ? near : far));
    return y;
}
#endif
WW_DEVICE float sinhf(float x) {
    float a = __builtin_fabsf(x), y;
    if (a < 1.0f) {
        float z = x * x;
        float p = 0x1.7a267ep-19f;
        p = __builtin_fmaf(p, z, 0x1.9ffe12p-13f);
        p = __builtin_fmaf(p, z, 0x1.111136p-7f);
        p = __builtin_fmaf(p, z, 0x1.555556p-3f);
        y = __builtin_fmaf(p * z, a, a);
    } else {
        // A quarter of e^a: the half overflows before the result does.
        float e = ww_exponential(a, 0x1.715476p+0f, 0x1.4ae0c0p-26f, -2);
        y = __builtin_fmaf(e, 2.0f, -0.125f / e);
    }
    return __builtin_copysignf(y, x);
}
WW_DEVICE float coshf(float x) {
    float e = ww_exponential(__builtin_fabsf(x), 0x1.715476p+0f, 0x1.4ae0c0p-26f, -2);
    return __builtin_fmaf(e, 2.0f, 0.125f / e);
}
WW_DEVICE float atanhf(float x) {
    float a = __builtin_fabsf(x);
    float y = 0.5f * log1pf((a + a) / (1.0f - a));
    return __builtin_copysignf(a > 1.0f ? __int_as_float(0x7fffffff) : y, x);
}
WW_DEVICE float asinhf(float x) {
    float a = __builtin_fabsf(x), y;
    if (a > 0x1p20f)
        y = logf(a) + 0x1.62e430p-1f;
    else
        y = log1pf(__builtin_fmaf(a, a / (1.0f + __nvvm_sqrt_rn_f(__builtin_fmaf(a, a, 1.0f))), a));
    return __builtin_copysignf(y, x);
}
WW_DEVICE float acoshf(float x) {
    float t = x - 1.0f;
    if (t < 0.0f) return __int_as_float(0x7fffffff);
    if (t > 0x1p20f) return logf(x) + 0x1.62e430p-1f;
    return log1pf(t + __nvvm_sqrt_rn_f(__builtin_fmaf(t, t, t + t)));
}
