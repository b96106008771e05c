// Floating point numbers of four and six bits, as <cuda_fp4.h> and <cuda_fp6.h> have them: a sign, an exponent, a fraction, neither
// infinity nor what is no number. What is beyond the largest one becomes that, and what is no number the largest one above zero.
// In integer arithmetic, the same on the host and on every device architecture.
#pragma once
#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "cuda_fp8.h"

// To nearest, ties to even. Of a form with `fraction` bits of fraction, whose largest number has the code `most`, `bias` being its exponent's.
WW_BOTH unsigned char ww_small_float(double v, int fraction, int bias, unsigned int most) {
    const unsigned int sign_bit = (most + 1) & 0x38u;  // the bit above those of the largest number
    const unsigned long long bits = __builtin_bit_cast(unsigned long long, v), magnitude = bits & 0x7fffffffffffffffull;
    if (magnitude > 0x7ff0000000000000ull) return (unsigned char)most;
    const unsigned int sign = bits >> 63 ? sign_bit : 0;
    int exponent = (int)(magnitude >> 52) - 1023 + bias, cut = 52 - fraction;
    unsigned long long significand = magnitude & 0xfffffffffffffull;
    if (exponent > 31) return (unsigned char)(sign | most);
    if (exponent < 1) {  // subnormal in the target: the hidden bit is written out, and more of the tail goes
        cut += 1 - exponent;
        if (cut > 54) return (unsigned char)sign;
        significand |= 0x10000000000000ull;
        exponent = 0;
    }
    unsigned long long code = (unsigned long long)exponent << fraction;
    code += cut > 53 ? 0 : significand >> cut;
    const unsigned long long tail = significand & ((1ull << cut) - 1), half = 1ull << (cut - 1);
    if (tail > half || (tail == half && (code & 1))) ++code;
    return (unsigned char)(sign | (code > most ? most : (unsigned int)code));
}
// The number of a code.
WW_BOTH float ww_small_float_value(unsigned int code, int fraction, int bias, unsigned int most) {
    const unsigned int sign_bit = (most + 1) & 0x38u, magnitude = code & most;
    const int exponent = (int)(magnitude >> fraction);
    const unsigned int low = magnitude & ((1u << fraction) - 1);
    // An integer times a power of two that is a normal float.
    const unsigned int significand = exponent ? low | 1u << fraction : low;
    const unsigned int scale = (unsigned int)(127 + (exponent ? exponent : 1) - bias - fraction) << 23;
    const float value = (float)significand * __builtin_bit_cast(float, scale);
    return code & sign_bit ? -value : value;
}
WW_BOTH __half_raw ww_small_float_half(unsigned int code, int fraction, int bias, unsigned int most) {
    return __half_raw{ww_float_to_f16(ww_small_float_value(code, fraction, bias, most))};
}

#define WW_SMALL_HD __host__ __device__ WW_INLINE
// The conversions of a width, `W` being 4 or 6: S is what holds one number, S2 two of them, the second `apart` bits above the first. F, B
// and M are the numbers of fraction, bias and largest code by `form`.
#define WW_SMALL_CONVERSIONS(W, S, S2, Form, apart, F, B, M)                                                                          \
    WW_BOTH S __nv_cvt_double_to_fp##W(double v, Form form, cudaRoundMode) { return ww_small_float(v, F, B, M); }                    \
    WW_BOTH S __nv_cvt_float_to_fp##W(float v, Form form, cudaRoundMode r) { return __nv_cvt_double_to_fp##W((double)v, form, r); }  \
    WW_BOTH S __nv_cvt_halfraw_to_fp##W(__half_raw v, Form form, cudaRoundMode r) {                                                  \
        return __nv_cvt_float_to_fp##W(ww_f16_to_float(v.x), form, r);                                                               \
    }                                                                                                                                \
    WW_BOTH S __nv_cvt_bfloat16raw_to_fp##W(__nv_bfloat16_raw v, Form form, cudaRoundMode r) {                                       \
        return __nv_cvt_float_to_fp##W(ww_bf16_to_float(v.x), form, r);                                                              \
    }                                                                                                                                \
    WW_BOTH S2 __nv_cvt_double2_to_fp##W##x2(double2 v, Form form, cudaRoundMode r) {                                                \
        return (S2)(__nv_cvt_double_to_fp##W(v.x, form, r) | __nv_cvt_double_to_fp##W(v.y, form, r) << apart);                       \
    }                                                                                                                                \
    WW_BOTH S2 __nv_cvt_float2_to_fp##W##x2(float2 v, Form form, cudaRoundMode r) {                                                  \
        return (S2)(__nv_cvt_float_to_fp##W(v.x, form, r) | __nv_cvt_float_to_fp##W(v.y, form, r) << apart);                         \
    }                                                                                                                                \
    WW_BOTH S2 __nv_cvt_halfraw2_to_fp##W##x2(__half2_raw v, Form form, cudaRoundMode r) {                                           \
        return __nv_cvt_float2_to_fp##W##x2(float2{ww_f16_to_float(v.x), ww_f16_to_float(v.y)}, form, r);                            \
    }                                                                                                                                \
    WW_BOTH S2 __nv_cvt_bfloat16raw2_to_fp##W##x2(__nv_bfloat162_raw v, Form form, cudaRoundMode r) {                                \
        return __nv_cvt_float2_to_fp##W##x2(float2{ww_bf16_to_float(v.x), ww_bf16_to_float(v.y)}, form, r);                          \
    }                                                                                                                                \
    WW_BOTH __half_raw __nv_cvt_fp##W##_to_halfraw(S v, Form form) { return ww_small_float_half(v, F, B, M); }                       \
    WW_BOTH __half2_raw __nv_cvt_fp##W##x2_to_halfraw2(S2 v, Form form) {                                                            \
        return __half2_raw{__nv_cvt_fp##W##_to_halfraw((S)(v & ((1u << apart) - 1)), form).x,                                        \
                           __nv_cvt_fp##W##_to_halfraw((S)(v >> apart), form).x};                                                    \
    }

// One number, two and four of them.
#define WW_SMALL_FROM(name, T, W, form) \
    explicit WW_SMALL_HD name(T v) : __x(__nv_cvt_double_to_fp##W((double)v, form, cudaRoundNearest)) {}
#define WW_SMALL_TO(T) \
    explicit WW_SMALL_HD operator T() const { return (T)(float)*this; }
#define WW_SMALL_TYPES(name, name2, name4, W, S, S2, S4, apart, form)                                                                \
    struct name {                                                                                                                    \
        S __x;                                                                                                                       \
        name() = default;                                                                                                            \
        explicit WW_SMALL_HD name(__half v) : __x(__nv_cvt_halfraw_to_fp##W(v, form, cudaRoundNearest)) {}                           \
        explicit WW_SMALL_HD name(__nv_bfloat16 v) : __x(__nv_cvt_bfloat16raw_to_fp##W(v, form, cudaRoundNearest)) {}                \
        WW_SMALL_FROM(name, float, W, form) WW_SMALL_FROM(name, double, W, form) WW_SMALL_FROM(name, int, W, form)                   \
        WW_SMALL_FROM(name, unsigned int, W, form) WW_SMALL_FROM(name, short, W, form) WW_SMALL_FROM(name, unsigned short, W, form)  \
        WW_SMALL_FROM(name, long, W, form) WW_SMALL_FROM(name, unsigned long, W, form) WW_SMALL_FROM(name, long long, W, form)       \
        WW_SMALL_FROM(name, unsigned long long, W, form)                                                                             \
        explicit WW_SMALL_HD operator float() const { return ww_f16_to_float(__nv_cvt_fp##W##_to_halfraw(__x, form).x); }            \
        explicit WW_SMALL_HD operator __half() const { return __half(__nv_cvt_fp##W##_to_halfraw(__x, form)); }                      \
        explicit WW_SMALL_HD operator __nv_bfloat16() const { return __nv_bfloat16((float)*this); }                                  \
        explicit WW_SMALL_HD operator bool() const { return (float)*this != 0; }                                                     \
        WW_SMALL_TO(double) WW_SMALL_TO(int) WW_SMALL_TO(unsigned int) WW_SMALL_TO(short) WW_SMALL_TO(unsigned short)                \
        WW_SMALL_TO(long) WW_SMALL_TO(unsigned long) WW_SMALL_TO(long long) WW_SMALL_TO(unsigned long long)                          \
        WW_SMALL_TO(signed char) WW_SMALL_TO(unsigned char) WW_SMALL_TO(char)                                                        \
    };                                                                                                                               \
    struct __attribute__((aligned(sizeof(S2)))) name2 {                                                                              \
        S2 __x;                                                                                                                      \
        name2() = default;                                                                                                           \
        explicit WW_SMALL_HD name2(float2 v) : __x(__nv_cvt_float2_to_fp##W##x2(v, form, cudaRoundNearest)) {}                       \
        explicit WW_SMALL_HD name2(double2 v) : __x(__nv_cvt_double2_to_fp##W##x2(v, form, cudaRoundNearest)) {}                     \
        explicit WW_SMALL_HD name2(__half2 v) : __x(__nv_cvt_halfraw2_to_fp##W##x2(v, form, cudaRoundNearest)) {}                    \
        explicit WW_SMALL_HD name2(__nv_bfloat162 v) : __x(__nv_cvt_bfloat16raw2_to_fp##W##x2(v, form, cudaRoundNearest)) {}         \
        explicit WW_SMALL_HD operator __half2() const { return __half2(__nv_cvt_fp##W##x2_to_halfraw2(__x, form)); }                 \
        explicit WW_SMALL_HD operator float2() const {                                                                               \
            const __half2_raw h = __nv_cvt_fp##W##x2_to_halfraw2(__x, form);                                                         \
            return float2{ww_f16_to_float(h.x), ww_f16_to_float(h.y)};                                                               \
        }                                                                                                                            \
    };                                                                                                                               \
    struct __attribute__((aligned(sizeof(S4)))) name4 {                                                                              \
        S4 __x;                                                                                                                      \
        name4() = default;                                                                                                           \
        WW_SMALL_HD name4(name2 low, name2 high, int) : __x((S4)(low.__x | (unsigned int)high.__x << 2 * apart)) {}                  \
        explicit WW_SMALL_HD name4(float4 v) : name4(name2(float2{v.x, v.y}), name2(float2{v.z, v.w}), 0) {}                         \
        explicit WW_SMALL_HD name4(double4 v) : name4(name2(double2{v.x, v.y}), name2(double2{v.z, v.w}), 0) {}                      \
        explicit WW_SMALL_HD name4(__half2 low, __half2 high) : name4(name2(low), name2(high), 0) {}                                 \
        explicit WW_SMALL_HD name4(__nv_bfloat162 low, __nv_bfloat162 high) : name4(name2(low), name2(high), 0) {}                   \
        explicit WW_SMALL_HD operator float4() const {                                                                               \
            const __half2_raw low = __nv_cvt_fp##W##x2_to_halfraw2((S2)(__x & ((1u << 2 * apart) - 1)), form);                       \
            const __half2_raw high = __nv_cvt_fp##W##x2_to_halfraw2((S2)(__x >> 2 * apart), form);                                   \
            return float4{ww_f16_to_float(low.x), ww_f16_to_float(low.y), ww_f16_to_float(high.x), ww_f16_to_float(high.y)};         \
        }                                                                                                                            \
    };
