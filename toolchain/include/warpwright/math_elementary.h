// Single-precision exponentials, logarithms, powers and trigonometric functions, our own: argument reduction with fma,
// then a minimax polynomial or the special function unit. Coefficients are Remez fits over the reduced interval; errors
// are measured over every float (docs/math-accuracy.md).
#pragma once

#define WW_INFINITY __builtin_inff()

// 2^n for n in [-126, 127].
WW_DEVICE float ww_power_of_two(int n) { return __int_as_float((n + 127) << 23); }

// 2^(x * (hi + lo) + shift), hi + lo being log2 of the base, shift <= 0. The whole part of the exponent stays within
// that of normal numbers; the special function unit gets what is beyond with the rest, so that subnormal results and
// infinity come out. A sum with 1.5 * 2^23 is rounded to a whole number, which stands in its lowest bits.
WW_DEVICE float ww_exponential(float x, float hi, float lo, int shift) {
    float round = 0x1.8p23f + (float)(127 + shift);
    float n = __builtin_fminf(__builtin_fmaxf(x * hi, (float)(-126 - shift)), (float)(127 - shift)) + round;
    float f = __builtin_fmaf(x, lo, __builtin_fmaf(x, hi, round - n));
    return __nvvm_ex2_approx_ftz_f(f) * __int_as_float(__float_as_int(n) << 23);
}
#ifdef WARPWRIGHT_FAST_MATH
WW_DEVICE float expf(float x) { return __nvvm_ex2_approx_ftz_f(x * 0x1.715476p+0f); }
WW_DEVICE float exp10f(float x) { return __nvvm_ex2_approx_ftz_f(x * 0x1.a934f0p+1f); }
WW_DEVICE float exp2f(float x) { return __nvvm_ex2_approx_ftz_f(x); }
#else
WW_DEVICE float expf(float x) { return ww_exponential(x, 0x1.715476p+0f, 0x1.4ae0c0p-26f, 0); }
WW_DEVICE float exp10f(float x) { return ww_exponential(x, 0x1.a934f0p+1f, 0x1.2f346ep-24f, 0); }
WW_DEVICE float exp2f(float x) { return __nvvm_ex2_approx_f(x); }
#endif

WW_DEVICE float expm1f(float x) {
    float n = __builtin_rintf(__builtin_fminf(__builtin_fmaxf(x * 0x1.715476p+0f, -27.0f), 129.0f));
    float r = __builtin_fmaf(n, 0x1.05c610p-29f, __builtin_fmaf(n, -0x1.62e430p-1f, x));
    float p = 0x1.a1a270p-13f;
    p = __builtin_fmaf(p, r, 0x1.6d7550p-10f);
    p = __builtin_fmaf(p, r, 0x1.11108ep-7f);
    p = __builtin_fmaf(p, r, 0x1.5554aep-5f);
    p = __builtin_fmaf(p, r, 0x1.555556p-3f);
    p = __builtin_fmaf(p, r, 0.5f);
    p = __builtin_fmaf(p * r, r, r);
    // Half of 2^n first: 2^128 is no float, while expm1 of 88.7 still is.
    float s = ww_power_of_two(__builtin_fmaxf(n, -27.0f) > 128.0f ? 127 : (int)n - 1);
    float y = __builtin_fmaf(p, s, s - 0.5f);
    y = y + y;
    y = x > 88.73f ? WW_INFINITY : y;
    y = x < -18.0f ? -1.0f : y;
    return x == 0.0f ? x : y;
}

// Splits a positive normal or subnormal x into m * 2^e with m in [2/3, 4/3).
WW_DEVICE float ww_split(float x, float* e) {
    bool small = x < 0x1p-126f;
    int bits = __float_as_int(small ? x * 0x1p23f : x);
    int n = (bits - 0x3f2aaaab) >> 23;
    *e = (float)n - (small ? 23.0f : 0.0f);
    return __int_as_float(bits - (n << 23));
}
// (log(1 + f) - f) / f, for f in [-1/3, 1/3].
WW_DEVICE float ww_log_polynomial(float f) {
    float p = -0x1.0f8ba8p-3f;
    p = __builtin_fmaf(p, f, 0x1.1f0afcp-3f);
    p = __builtin_fmaf(p, f, -0x1.ef2eb0p-4f);
    p = __builtin_fmaf(p, f, 0x1.1eb352p-3f);
    p = __builtin_fmaf(p, f, -0x1.55c900p-3f);
    p = __builtin_fmaf(p, f, 0x1.99d296p-3f);
    p = __builtin_fmaf(p, f, -0x1.fffd84p-3f);
    p = __builtin_fmaf(p, f, 0x1.555500p-2f);
    return __builtin_fmaf(p, f, -0.5f);
}
// Infinity stays, NaN stays, negative numbers become NaN, both zeros minus infinity.
WW_DEVICE float ww_log_special(float x, float y) {
    if (__float_as_uint(x) >= 0x7f800000u) y = __builtin_fmaf(x, WW_INFINITY, WW_INFINITY);
    return x == 0.0f ? -WW_INFINITY : y;
}
#ifdef WARPWRIGHT_FAST_MATH
WW_DEVICE float logf(float x) { return __nvvm_lg2_approx_ftz_f(x) * 0x1.62e430p-1f; }
WW_DEVICE float log2f(float x) { return __nvvm_lg2_approx_ftz_f(x); }
WW_DEVICE float log10f(float x) { return __nvvm_lg2_approx_ftz_f(x) * 0x1.344136p-2f; }
#else
WW_DEVICE float logf(float x) {
    float e, f = ww_split(x, &e) - 1.0f;
    float y = __builtin_fmaf(ww_log_polynomial(f) * f, f, f);
    return ww_log_special(x, __builtin_fmaf(e, 0x1.62e430p-1f, y));
}
WW_DEVICE float log2f(float x) {
    float e, f = ww_split(x, &e) - 1.0f;
    float rest = ww_log_polynomial(f) * f * f;
    float y = __builtin_fmaf(f, 0x1.4ae0c0p-26f, rest * 0x1.715476p+0f);
    return ww_log_special(x, __builtin_fmaf(f, 0x1.715476p+0f, y) + e);
}
WW_DEVICE float log10f(float x) {
    float e, f = ww_split(x, &e) - 1.0f;
    float rest = ww_log_polynomial(f) * f * f;
    float y = __builtin_fmaf(f, -0x1.5b235ep-27f, rest * 0x1.bcb7b2p-2f);
    y = __builtin_fmaf(e, -0x1.ec10c0p-27f, y);
    return ww_log_special(x, __builtin_fmaf(e, 0x1.344136p-2f, __builtin_fmaf(f, 0x1.bcb7b2p-2f, y)));
}
#endif
WW_DEVICE float log1pf(float x) {
    float u = 1.0f + x, lost = u < 2.0f ? x - (u - 1.0f) : 1.0f - (u - x);
    float e, f = ww_split(u, &e) - 1.0f;
    f = __builtin_fmaf(lost, ww_power_of_two(-(int)__builtin_fminf(__builtin_fmaxf(e, -30.0f), 126.0f)), f);
    float y = __builtin_fmaf(e, 0x1.62e430p-1f, __builtin_fmaf(ww_log_polynomial(f) * f, f, f));
    y = ww_log_special(u, y);
    return __builtin_fabsf(x) < 0x1p-24f ? x : y;
}

// |x|^y. The logarithm is carried as a sum of two floats: its error is multiplied by up to 128.
WW_DEVICE float ww_power_positive(float x, float y) {
    float e, m = ww_split(x, &e);
    float a = m - 1.0f, b = m + 1.0f, b_lo = m - (b - 1.0f);
    float r = 1.0f / b, s = a * r;
    float s_lo = __builtin_fmaf(-s, b_lo, __builtin_fmaf(-s, b, a)) * r;
    // log(m) = 2 s + s^3 (2/3 + z q): z, s^3 and the bracket each with what their rounding lost.
    float z = s * s, z_lo = __builtin_fmaf(s, s, -z) + 2.0f * s * s_lo;
    float q = __builtin_fmaf(__builtin_fmaf(0x1.e8f664p-3f, z, 0x1.2419d8p-2f), z, 0x1.999aa2p-2f);
    float p = __builtin_fmaf(q, z, 0x1.555556p-1f), p_lo = __builtin_fmaf(q, z, 0x1.555556p-1f - p) - 0x1.555556p-26f;
    float cube = s * z, cube_lo = __builtin_fmaf(s, z, -cube) + __builtin_fmaf(s, z_lo, s_lo * z);
    float hi = 2.0f * s, tail = cube * p;
    float tail_lo = __builtin_fmaf(cube, p, -tail) + __builtin_fmaf(cube, p_lo, cube_lo * p);
    float l = hi + tail, l_lo = (hi - l) + tail + (2.0f * s_lo + tail_lo);
    // log2(x) = e + log2(e) (l + l_lo)
    float t = l * 0x1.715476p+0f;
    float t_lo = __builtin_fmaf(l, 0x1.715476p+0f, -t) + __builtin_fmaf(l, 0x1.4ae0c0p-26f, l_lo * 0x1.715476p+0f);
    float log2 = e + t, log2_lo = (e - log2) + t + t_lo;
    float w = y * log2, w_lo = __builtin_fmaf(y, log2, -w) + y * log2_lo;
    float n = __builtin_rintf(__builtin_fminf(__builtin_fmaxf(w, -200.0f), 200.0f));
    float f = w - n;
    if (__builtin_fabsf(w) < 250.0f) f += w_lo;
    int i = (int)n, half = i >> 1;
    return __nvvm_ex2_approx_ftz_f(f) * ww_power_of_two(half) * ww_power_of_two(i - half);
}
#ifdef WARPWRIGHT_FAST_MATH
WW_DEVICE float powf(float x, float y) { return __nvvm_ex2_approx_ftz_f(y * __nvvm_lg2_approx_ftz_f(x)); }
#else
// As by nvcc, the power of |x| is computed in any case, so that two powers of one number share its logarithm, and what
// is not usual is sorted out by branches behind it. That NaN uses it, and the empty statement of assembly, keep it so.
WW_DEVICE float powf(float x, float y) {
    float ax = __builtin_fabsf(x), r = ww_power_positive(ax, y);
    if (x == 1.0f || y == 0.0f) return 1.0f;
    if (x != x || y != y) return x + y + r;
    float half = 0.5f * y;
    bool integer = __builtin_truncf(y) == y, odd = integer && __builtin_truncf(half) != half && __builtin_fabsf(y) < 0x1p24f;
    if (ax == 0.0f || ax == WW_INFINITY) {
        r = (ax == 0.0f) == (y < 0.0f) ? WW_INFINITY : 0.0f;
        return odd && __float_as_int(x) < 0 ? -r : r;
    }
    if (__builtin_fabsf(y) == WW_INFINITY) return ax == 1.0f ? 1.0f : (ax > 1.0f) == (y > 0.0f) ? WW_INFINITY : 0.0f;
    if (x < 0.0f) {
        asm("" : "+f"(r));
        r = !integer ? __int_as_float(0x7fffffff) : odd ? -r : r;
    }
    return r;
}
#endif

// 2/pi as binary fraction, after 32 zero bits.
static __device__ const unsigned int ww_two_over_pi[8] = {0x00000000u, 0xa2f9836eu, 0x4e441529u, 0xfc2757d1u,
                                                            0xf534ddc0u, 0xdb629599u, 0x3c439041u, 0xfe5163abu};
// Reduction of a large finite x: the product of its mantissa with those 96 bits of 2/pi that decide the quadrant and the
// fraction; bits above only add multiples of four quadrants.
WW_DEVICE_BODY float ww_reduce_large(float x, int* quadrant) {
    unsigned int bits = __float_as_uint(x);
    unsigned int mantissa = (bits & 0x7fffffu) | 0x800000u;
    int start = (int)((bits >> 23) & 255u) - 150 + 30;
    int word = start >> 5, shift = start & 31;
    unsigned int w0 = __funnelshift_l(ww_two_over_pi[word + 1], ww_two_over_pi[word], shift);
    unsigned int w1 = __funnelshift_l(ww_two_over_pi[word + 2], ww_two_over_pi[word + 1], shift);
    unsigned int w2 = __funnelshift_l(ww_two_over_pi[word + 3], ww_two_over_pi[word + 2], shift);
    unsigned long long a = (unsigned long long)mantissa * w2;
    unsigned long long b = (unsigned long long)mantissa * w1 + (a >> 32);
    unsigned int c = mantissa * w0 + (unsigned int)(b >> 32);
    unsigned long long fraction = (((unsigned long long)c << 32 | (unsigned int)b) << 2) | ((unsigned int)a >> 30);
    int q = (int)(c >> 30) + (int)(fraction >> 63);  // to the nearest quadrant: the fraction becomes signed
    double r = (double)(long long)fraction * 0x1.921fb54442d18p-64;
    bool negative = (int)bits < 0;
    *quadrant = negative ? -q : q;
    return (float)(negative ? -r : r);
}
// x - quadrant * pi/2, in about [-pi/4, pi/4].
WW_DEVICE float ww_reduce(float x, int* quadrant) {
    float n = __builtin_rintf(x * 0x1.45f306p-1f);
    *quadrant = (int)n;
    float r = __builtin_fmaf(n, -0x1.921fb6p+0f, x);
    r = __builtin_fmaf(n, 0x1.777a5cp-25f, r);
    r = __builtin_fmaf(n, 0x1.ee59dap-50f, r);
    if (__builtin_fabsf(x) > 105615.0f) {
        if (__builtin_fabsf(x) == WW_INFINITY)
            r = x - x;
        else
            r = ww_reduce_large(x, quadrant);
    }
    return r;
}
// Sine of r plus quadrant * pi/2: the same chain of fma with one set of coefficients or the other.
WW_DEVICE float ww_sine_polynomial(float r, int quadrant) {
    bool cosine = quadrant & 1;
    float z = r * r, base = cosine ? 1.0f : r;
    float p = cosine ? 0x1.99f2dep-16f : 0.0f;
    p = __builtin_fmaf(p, z, cosine ? -0x1.6c0c58p-10f : -0x1.993d72p-13f);
    p = __builtin_fmaf(p, z, cosine ? 0x1.55554ap-5f : 0x1.11072ep-7f);
    p = __builtin_fmaf(p, z, cosine ? -0.5f : -0x1.555546p-3f);
    p = __builtin_fmaf(z * base, p, base);
    return quadrant & 2 ? -p : p;
}
#ifdef WARPWRIGHT_FAST_MATH
WW_DEVICE float sinf(float x) { return __nvvm_sin_approx_ftz_f(x); }
WW_DEVICE float cosf(float x) { return __nvvm_cos_approx_ftz_f(x); }
WW_DEVICE void sincosf(float x, float* s, float* c) {
    *s = sinf(x);
    *c = cosf(x);
}
WW_DEVICE float tanf(float x) { return __fdividef(sinf(x), cosf(x)); }
#else
WW_DEVICE float sinf(float x) {
    int q;
    float r = ww_reduce(x, &q);
    return x == 0.0f ? x : ww_sine_polynomial(r, q);
}
WW_DEVICE float cosf(float x) {
    int q;
    float r = ww_reduce(x, &q);
    return ww_sine_polynomial(r, q + 1);
}
WW_DEVICE void sincosf(float x, float* s, float* c) {
    int q;
    float r = ww_reduce(x, &q);
    *s = x == 0.0f ? x : ww_sine_polynomial(r, q);
    *c = ww_sine_polynomial(r, q + 1);
}
WW_DEVICE float tanf(float x) {
    int q;
    float r = ww_reduce(x, &q), z = r * r;
    float p = 0x1.24e7c6p-8f;
    p = __builtin_fmaf(p, z, -0x1.a99862p-14f);
    p = __builtin_fmaf(p, z, 0x1.6813f0p-7f);
    p = __builtin_fmaf(p, z, 0x1.5bb40ep-6f);
    p = __builtin_fmaf(p, z, 0x1.baf4d0p-5f);
    p = __builtin_fmaf(p, z, 0x1.110cfcp-3f);
    p = __builtin_fmaf(p, z, 0x1.555562p-2f);
    float t = __builtin_fmaf(p * z, r, r);
    if (q & 1) {
        // -1/t with the rounding of t itself taken into account.
        float lost = __builtin_fmaf(p * z, r, r - t), inverse = -1.0f / t;
        float residue = __builtin_fmaf(inverse, t, 1.0f);
        residue = __builtin_fmaf(inverse, lost, residue);
        t = __builtin_fmaf(inverse, residue, inverse);
    }
    return x == 0.0f ? x : t;
}
#endif

// Sine of pi (x + quadrant / 2), from the exact remainder of 2 x.
WW_DEVICE float ww_sine_pi(float x, int extra) {
    float n = __builtin_rintf(x + x);
    float r = __builtin_fmaf(n, -0.5f, x);
    int q = (int)__builtin_fmaf(__builtin_truncf(n * 0.25f), -4.0f, n) + extra;
    bool cosine = q & 1;
    float z = r * r;
    float p = cosine ? 0x1.d9f47ap-3f : 0x1.4be4b0p-4f;
    p = __builtin_fmaf(p, z, cosine ? -0x1.55c65ap+0f : -0x1.32cb1ep-1f);
    p = __builtin_fmaf(p, z, cosine ? 0x1.03c1dep+2f : 0x1.466bbcp+1f);
    p = __builtin_fmaf(p, z, cosine ? -0x1.3bd3ccp+2f : -0x1.4abbcep+2f);
    float y = cosine ? __builtin_fmaf(p, z, 1.0f)
                     : __builtin_fmaf(r, 0x1.921fb6p+1f, __builtin_fmaf(r * z, p, r * -0x1.777a5cp-24f));
    return q & 2 ? -y : y;
}
WW_DEVICE float sinpif(float x) {
    float y = ww_sine_pi(x, 0);
    // At integers the zero takes the sign of x; infinity has no sine.
    if (__builtin_truncf(x) == x) y = x * 0.0f;
    return y;
}
WW_DEVICE float cospif(float x) {
    if (__builtin_fabsf(x) >= 0x1p24f) return __builtin_fmaf(x, 0.0f, 1.0f);
    return ww_sine_pi(x, 1) + 0.0f;
}
WW_DEVICE void sincospif(float x, float* s, float* c) {
    *s = sinpif(x);
    *c = cospif(x);
}
