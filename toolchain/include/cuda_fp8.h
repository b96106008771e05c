// 8-bit floating point as <cuda_fp8.h> has it: __nv_fp8_e4m3 (bias 7, no infinity, 448 at most) and __nv_fp8_e5m2 (bias
// 15, the upper half of a __half), pairs and fours of them, and the conversions. All in integer arithmetic, the same on
// the host and on every device architecture.
#pragma once
#define __CUDA_FP8_H__
#include <device_types.h>
#include "warpwright/hide_names.h"

#include "cuda_bf16.h"
#include "cuda_fp16.h"

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };

// A double holds every source type exactly. The significand is cut to the bits the target has at that exponent, to
// nearest, ties to even.
WW_BOTH __nv_fp8_storage_t __nv_cvt_double_to_fp8(double v, __nv_saturation_t saturate, __nv_fp8_interpretation_t form) {
    const bool e4m3 = form == __NV_E4M3;
    const unsigned long long bits = __builtin_bit_cast(unsigned long long, v);
    const unsigned int sign = (unsigned int)(bits >> 56) & 0x80u;
    const unsigned long long magnitude = bits & 0x7fffffffffffffffull;
    if (magnitude > 0x7ff0000000000000ull) return 0x7f;
    const unsigned int most = e4m3 ? 0x7eu : 0x7bu;                      // the largest finite number
    const unsigned int beyond = saturate == __NV_SATFINITE ? most : e4m3 ? 0x7fu : 0x7cu;
    if (magnitude == 0x7ff0000000000000ull) return (__nv_fp8_storage_t)(sign | beyond);
    const int kept = e4m3 ? 3 : 2, bias = e4m3 ? 7 : 15;
    int exponent = (int)(magnitude >> 52) - 1023 + bias;
    unsigned long long fraction = magnitude & 0xfffffffffffffull;
    int cut = 52 - kept;
    if (exponent < 1) {  // subnormal in the target: the hidden bit is written out, and more of the tail goes
        cut += 1 - exponent;
        if (cut > 54) return (__nv_fp8_storage_t)sign;
        fraction |= 0x10000000000000ull;
        exponent = 0;
    }
    unsigned long long code = exponent > 0 ? (unsigned long long)exponent << kept : 0;
    if (exponent > 31) return (__nv_fp8_storage_t)(sign | beyond);
    code += cut > 53 ? 0 : fraction >> cut;
    const unsigned long long tail = fraction & ((1ull << cut) - 1), half = 1ull << (cut - 1);
    if (tail > half || (tail == half && (code & 1))) ++code;
    if (code > most) code = beyond;
    return (__nv_fp8_storage_t)(sign | (unsigned int)code);
}
WW_BOTH __nv_fp8_storage_t __nv_cvt_float_to_fp8(float v, __nv_saturation_t saturate, __nv_fp8_interpretation_t form) {
    return __nv_cvt_double_to_fp8((double)v, saturate, form);
}
WW_BOTH __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw v, __nv_saturation_t saturate, __nv_fp8_interpretation_t form) {
    return __nv_cvt_float_to_fp8(ww_f16_to_float(v.x), saturate, form);
}
WW_BOTH __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw v, __nv_saturation_t saturate, __nv_fp8_interpretation_t form) {
    return __nv_cvt_float_to_fp8(ww_bf16_to_float(v.x), saturate, form);
}
WW_BOTH __nv_fp8x2_storage_t ww_fp8_pair(__nv_fp8_storage_t low, __nv_fp8_storage_t high) {
    return (__nv_fp8x2_storage_t)(low | (unsigned int)high << 8);
}
WW_BOTH __nv_fp8x2_storage_t __nv_cvt_double2_to_fp8x2(double2 v, __nv_saturation_t saturate, __nv_fp8_interpretation_t form) {
    return ww_fp8_pair(__nv_cvt_double_to_fp8(v.x, saturate, form), __nv_cvt_double_to_fp8(v.y, saturate, form));
}
WW_BOTH __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(float2 v, __nv_saturation_t saturate, __nv_fp8_interpretation_t form) {
    return ww_fp8_pair(__nv_cvt_float_to_fp8(v.x, saturate, form), __nv_cvt_float_to_fp8(v.y, saturate, form));
}
WW_BOTH __nv_fp8x2_storage_t __nv_cvt_halfraw2_to_fp8x2(__half2_raw v, __nv_saturation_t saturate, __nv_fp8_interpretation_t form) {
    return ww_fp8_pair(__nv_cvt_halfraw_to_fp8(__half_raw{v.x}, saturate, form), __nv_cvt_halfraw_to_fp8(__half_raw{v.y}, saturate, form));
}
WW_BOTH __nv_fp8x2_storage_t __nv_cvt_bfloat16raw2_to_fp8x2(__nv_bfloat162_raw v, __nv_saturation_t saturate, __nv_fp8_interpretation_t form) {
    return ww_fp8_pair(__nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw{v.x}, saturate, form),
                       __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw{v.y}, saturate, form));
}
WW_BOTH __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t v, __nv_fp8_interpretation_t form) {
    if (form == __NV_E5M2) return __half_raw{(unsigned short)((v & 0x7f) > 0x7c ? 0x7fff : v << 8)};
    const unsigned int sign = (v & 0x80u) << 8, exponent = v >> 3 & 15u;
    unsigned int fraction = v & 7u;
    if ((v & 0x7f) == 0x7f) return __half_raw{0x7fff};
    if (exponent != 0) return __half_raw{(unsigned short)(sign | (exponent + 8) << 10 | fraction << 7)};
    if (fraction == 0) return __half_raw{(unsigned short)sign};
    unsigned int e = 9;  // normal in the wider type
    while (!(fraction & 8u)) fraction <<= 1, --e;
    return __half_raw{(unsigned short)(sign | e << 10 | (fraction & 7u) << 7)};
}
WW_BOTH __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t v, __nv_fp8_interpretation_t form) {
    return __half2_raw{__nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)v, form).x, __nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)(v >> 8), form).x};
}

// A power of two, as block scales are kept: 2 to the power of (bits - 127); 0xff is not a number.
WW_BOTH __nv_fp8_storage_t __nv_cvt_double_to_e8m0(double v, __nv_saturation_t saturate, cudaRoundMode round) {
    const unsigned long long bits = __builtin_bit_cast(unsigned long long, v) & 0x7fffffffffffffffull;
    if (bits > 0x7ff0000000000000ull) return 0xff;
    int code = (int)(bits >> 52) - 1023 + 127;
    bool above = (bits & 0xfffffffffffffull) != 0;
    if (code < 0) code = 0, above = false;  // below the least power there is
    if (round == cudaRoundPosInf && above) ++code;
    return code > 254 ? saturate == __NV_SATFINITE ? 0xfe : 0xff : (__nv_fp8_storage_t)code;
}
WW_BOTH __nv_fp8_storage_t __nv_cvt_float_to_e8m0(float v, __nv_saturation_t saturate, cudaRoundMode round) {
    return __nv_cvt_double_to_e8m0((double)v, saturate, round);
}
WW_BOTH __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_e8m0(__nv_bfloat16_raw v, __nv_saturation_t saturate, cudaRoundMode round) {
    return __nv_cvt_double_to_e8m0((double)ww_bf16_to_float(v.x), saturate, round);
}
WW_BOTH __nv_bfloat16_raw __nv_cvt_e8m0_to_bf16raw(__nv_fp8_storage_t v) {
    return __nv_bfloat16_raw{(unsigned short)(v == 0xff ? 0x7fff : v == 0 ? 0x40 : v << 7)};
}

#define WW_HD __host__ __device__ WW_INLINE
#define WW_FP8(name, form)                                                                                             \
    struct name {                                                                                                      \
        __nv_fp8_storage_t __x;                                                                                        \
        name() = default;                                                                                              \
        explicit WW_HD name(float v) : __x(__nv_cvt_float_to_fp8(v, __NV_SATFINITE, form)) {}                          \
        explicit WW_HD name(double v) : __x(__nv_cvt_double_to_fp8(v, __NV_SATFINITE, form)) {}                        \
        explicit WW_HD name(__half v) : __x(__nv_cvt_halfraw_to_fp8(v, __NV_SATFINITE, form)) {}                       \
        explicit WW_HD name(__nv_bfloat16 v) : __x(__nv_cvt_bfloat16raw_to_fp8(v, __NV_SATFINITE, form)) {}            \
        explicit WW_HD name(short v) : name((double)v) {}                                                              \
        explicit WW_HD name(unsigned short v) : name((double)v) {}                                                     \
        explicit WW_HD name(int v) : name((double)v) {}                                                                \
        explicit WW_HD name(unsigned int v) : name((double)v) {}                                                       \
        explicit WW_HD name(long v) : name((float)v) {}                                                                \
        explicit WW_HD name(unsigned long v) : name((float)v) {}                                                       \
        explicit WW_HD name(long long v) : name((float)v) {}                                                           \
        explicit WW_HD name(unsigned long long v) : name((float)v) {}                                                  \
        explicit WW_HD operator float() const { return ww_f16_to_float(__nv_cvt_fp8_to_halfraw(__x, form).x); }        \
        explicit WW_HD operator double() const { return (double)(float)*this; }                                        \
        explicit WW_HD operator __half() const { return __half(__nv_cvt_fp8_to_halfraw(__x, form)); }                  \
        explicit WW_HD operator __nv_bfloat16() const { return __nv_bfloat16((float)*this); }                          \
        explicit WW_HD operator bool() const { return (__x & 0x7f) != 0; }                                             \
        explicit WW_HD operator int() const { return (int)(float)*this; }                                              \
        explicit WW_HD operator unsigned int() const { return (unsigned int)(float)*this; }                            \
        explicit WW_HD operator short() const { return (short)(float)*this; }                                          \
        explicit WW_HD operator unsigned short() const { return (unsigned short)(float)*this; }                        \
        explicit WW_HD operator long long() const { return (long long)(float)*this; }                                  \
        explicit WW_HD operator unsigned long long() const { return (unsigned long long)(float)*this; }                \
        explicit WW_HD operator signed char() const { return (signed char)(float)*this; }                              \
        explicit WW_HD operator unsigned char() const { return (unsigned char)(float)*this; }                          \
    };
#define WW_FP8_GROUPS(name2, name4, form)                                                                              \
    struct __attribute__((aligned(2))) name2 {                                                                         \
        __nv_fp8x2_storage_t __x;                                                                                      \
        name2() = default;                                                                                             \
        explicit WW_HD name2(float2 v) : __x(__nv_cvt_float2_to_fp8x2(v, __NV_SATFINITE, form)) {}                     \
        explicit WW_HD name2(double2 v) : __x(__nv_cvt_double2_to_fp8x2(v, __NV_SATFINITE, form)) {}                   \
        explicit WW_HD name2(__half2 v) : __x(__nv_cvt_halfraw2_to_fp8x2(v, __NV_SATFINITE, form)) {}                  \
        explicit WW_HD name2(__nv_bfloat162 v) : __x(__nv_cvt_bfloat16raw2_to_fp8x2(v, __NV_SATFINITE, form)) {}       \
        explicit WW_HD operator __half2() const { return __half2(__nv_cvt_fp8x2_to_halfraw2(__x, form)); }             \
        explicit WW_HD operator float2() const {                                                                       \
            const __half2_raw h = __nv_cvt_fp8x2_to_halfraw2(__x, form);                                               \
            return float2{ww_f16_to_float(h.x), ww_f16_to_float(h.y)};                                                 \
        }                                                                                                              \
    };                                                                                                                 \
    struct __attribute__((aligned(4))) name4 {                                                                         \
        __nv_fp8x4_storage_t __x;                                                                                      \
        name4() = default;                                                                                             \
        WW_HD name4(name2 low, name2 high, int) : __x(low.__x | (unsigned int)high.__x << 16) {}                       \
        explicit WW_HD name4(float4 v) : name4(name2(float2{v.x, v.y}), name2(float2{v.z, v.w}), 0) {}                 \
        explicit WW_HD name4(double4 v) : name4(name2(double2{v.x, v.y}), name2(double2{v.z, v.w}), 0) {}              \
        explicit WW_HD name4(__half2 low, __half2 high) : name4(name2(low), name2(high), 0) {}                         \
        explicit WW_HD name4(__nv_bfloat162 low, __nv_bfloat162 high) : name4(name2(low), name2(high), 0) {}           \
        explicit WW_HD operator float4() const {                                                                       \
            const __half2_raw low = __nv_cvt_fp8x2_to_halfraw2((__nv_fp8x2_storage_t)__x, form);                       \
            const __half2_raw high = __nv_cvt_fp8x2_to_halfraw2((__nv_fp8x2_storage_t)(__x >> 16), form);              \
            return float4{ww_f16_to_float(low.x), ww_f16_to_float(low.y), ww_f16_to_float(high.x), ww_f16_to_float(high.y)}; \
        }                                                                                                              \
    };
WW_FP8(__nv_fp8_e4m3, __NV_E4M3)
WW_FP8(__nv_fp8_e5m2, __NV_E5M2)
WW_FP8_GROUPS(__nv_fp8x2_e4m3, __nv_fp8x4_e4m3, __NV_E4M3)
WW_FP8_GROUPS(__nv_fp8x2_e5m2, __nv_fp8x4_e5m2, __NV_E5M2)
struct __nv_fp8_e8m0 {
    __nv_fp8_storage_t __x;
    __nv_fp8_e8m0() = default;
    explicit WW_HD __nv_fp8_e8m0(float v) : __x(__nv_cvt_float_to_e8m0(v, __NV_SATFINITE, cudaRoundPosInf)) {}
    explicit WW_HD __nv_fp8_e8m0(double v) : __x(__nv_cvt_double_to_e8m0(v, __NV_SATFINITE, cudaRoundPosInf)) {}
    explicit WW_HD __nv_fp8_e8m0(__nv_bfloat16 v) : __x(__nv_cvt_bfloat16raw_to_e8m0(v, __NV_SATFINITE, cudaRoundPosInf)) {}
    explicit WW_HD operator __nv_bfloat16() const { return __nv_bfloat16(__nv_cvt_e8m0_to_bf16raw(__x)); }
    explicit WW_HD operator float() const { return ww_bf16_to_float(__nv_cvt_e8m0_to_bf16raw(__x).x); }
    explicit WW_HD operator double() const { return (double)(float)*this; }
};
#undef WW_FP8
#undef WW_FP8_GROUPS
#undef WW_HD
#include "warpwright/restore_names.h"
