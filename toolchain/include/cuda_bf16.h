// Bfloat16 as <cuda_bf16.h> has it: the types __nv_bfloat16 and __nv_bfloat162, their operators and intrinsics.
#pragma once
#define __CUDA_BF16_H__
#include "warpwright/hide_names.h"

#include "warpwright/half_common.h"

// Widening is a shift. Narrowing rounds to nearest even (cvt.rn.bf16.f32 from sm_80 on).
struct __nv_bfloat16;
WW_BOTH float ww_bf16_to_float(unsigned short x) { return __builtin_bit_cast(float, (unsigned int)x << 16); }
WW_BOTH unsigned short ww_float_to_bf16(float x) {
#if __CUDA_ARCH__ >= 800
    unsigned short r;
    __asm__("cvt.rn.bf16.f32 %0, %1;" : "=h"(r) : "f"(x));
    return r;
#else
    unsigned int bits = __builtin_bit_cast(unsigned int, x);
    if (x != x) return 0x7fff;
    return (unsigned short)((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
#endif
}

struct __attribute__((aligned(2))) __nv_bfloat16_raw { unsigned short x; };
struct __attribute__((aligned(4))) __nv_bfloat162_raw { unsigned short x, y; };
struct __attribute__((aligned(2))) __nv_bfloat16 {
    unsigned short __x;
    __host__ __device__ WW_INLINE constexpr __nv_bfloat16(const __nv_bfloat16_raw& raw) : __x(raw.x) {}
    __host__ __device__ WW_INLINE __nv_bfloat16& operator=(const __nv_bfloat16_raw& raw) { return __x = raw.x, *this; }
    __host__ __device__ WW_INLINE operator __nv_bfloat16_raw() const { return {__x}; }
    __host__ __device__ WW_INLINE operator __nv_bfloat16_raw() const volatile { return {__x}; }
    __nv_bfloat16() = default;
    __host__ __device__ WW_INLINE __nv_bfloat16(float v) : __x(ww_float_to_bf16(v)) {}
    // Rounding to odd first keeps the second rounding from going wrong.
    __host__ __device__ WW_INLINE __nv_bfloat16(double v) : __x(ww_float_to_bf16(ww_round_to_odd(v))) {}
    static __host__ __device__ WW_INLINE float ww_round_to_odd(double v) {
        float f = (float)v;
        if (!((double)f < v || (double)f > v)) return f;
        int bits = __builtin_bit_cast(int, f);
        if (((double)f > v) == (v > 0)) --bits;  // toward zero
        return __builtin_bit_cast(float, bits | 1);
    }
    __host__ __device__ WW_INLINE __nv_bfloat16(short v) : __x(ww_float_to_bf16(ww_round_to_odd((double)v))) {}
    __host__ __device__ WW_INLINE __nv_bfloat16(unsigned short v) : __x(ww_float_to_bf16(ww_round_to_odd((double)v))) {}
    __host__ __device__ WW_INLINE __nv_bfloat16(int v) : __x(ww_float_to_bf16(ww_round_to_odd((double)v))) {}
    __host__ __device__ WW_INLINE __nv_bfloat16(unsigned int v) : __x(ww_float_to_bf16(ww_round_to_odd((double)v))) {}
    __host__ __device__ WW_INLINE __nv_bfloat16(long v) : __x(ww_float_to_bf16(ww_round_to_odd((double)v))) {}
    __host__ __device__ WW_INLINE __nv_bfloat16(unsigned long v) : __x(ww_float_to_bf16(ww_round_to_odd((double)v))) {}
    __host__ __device__ WW_INLINE __nv_bfloat16(long long v) : __x(ww_float_to_bf16(ww_round_to_odd((double)v))) {}
    __host__ __device__ WW_INLINE __nv_bfloat16(unsigned long long v) : __x(ww_float_to_bf16(ww_round_to_odd((double)v))) {}
    __host__ __device__ WW_INLINE operator float() const { return ww_bf16_to_float(__x); }
};
struct __attribute__((aligned(4))) __nv_bfloat162 {
    __nv_bfloat16 x, y;
    __nv_bfloat162() = default;
    __host__ __device__ WW_INLINE __nv_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) : x(a), y(b) {}
    __host__ __device__ WW_INLINE __nv_bfloat162(const __nv_bfloat162_raw& raw) : x(__nv_bfloat16_raw{raw.x}), y(__nv_bfloat16_raw{raw.y}) {}
    __host__ __device__ WW_INLINE operator __nv_bfloat162_raw() const { return {x.__x, y.__x}; }
};
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

WW_BOTH float ww_float(__nv_bfloat16 v) { return ww_bf16_to_float(v.__x); }
// 1 or 0, as comparisons of pairs give them.
#ifndef WW_HALF_TRUTH
#define WW_HALF_TRUTH
template <class T> static __host__ __device__ WW_INLINE T ww_truth(bool b) { return T(b ? 1.0f : 0.0f); }
#endif
WW_BOTH unsigned int ww_pack(__nv_bfloat162 v) { return __builtin_bit_cast(unsigned int, v); }
WW_BOTH __nv_bfloat162 ww_unpack_bf16x2(unsigned int v) { return __builtin_bit_cast(__nv_bfloat162, v); }

// Conversions.
WW_BOTH float __bfloat162float(__nv_bfloat16 v) { return ww_float(v); }
WW_BOTH __nv_bfloat16 __float2bfloat16(float v) { return __nv_bfloat16(v); }
WW_BOTH __nv_bfloat16 __float2bfloat16_rn(float v) { return __nv_bfloat16(v); }
WW_BOTH __nv_bfloat16 __double2bfloat16(double v) { return __nv_bfloat16(v); }
WW_DEVICE __nv_bfloat16 __float2bfloat16_rz(float v) {
    unsigned int bits = __float_as_uint(v);
    return ww_from_bits<__nv_bfloat16>(v != v ? 0x7fff : (unsigned short)(bits >> 16));
}
WW_DEVICE __nv_bfloat16 __float2bfloat16_rd(float v) {
    unsigned int bits = __float_as_uint(v);
    if (v != v) return ww_from_bits<__nv_bfloat16>(0x7fff);
    return ww_from_bits<__nv_bfloat16>((unsigned short)((bits >> 16) + ((bits >> 31) && (bits & 0xffffu) ? 1 : 0)));
}
WW_DEVICE __nv_bfloat16 __float2bfloat16_ru(float v) {
    unsigned int bits = __float_as_uint(v);
    if (v != v) return ww_from_bits<__nv_bfloat16>(0x7fff);
    return ww_from_bits<__nv_bfloat16>((unsigned short)((bits >> 16) + (!(bits >> 31) && (bits & 0xffffu) ? 1 : 0)));
}
WW_BOTH __nv_bfloat16 __int2bfloat16_rn(int v) { return __nv_bfloat16(v); }
WW_DEVICE int __bfloat162int_rn(__nv_bfloat16 v) { return __float2int_rn(ww_float(v)); }
WW_DEVICE int __bfloat162int_rz(__nv_bfloat16 v) { return __float2int_rz(ww_float(v)); }
WW_DEVICE int __bfloat162int_rd(__nv_bfloat16 v) { return __float2int_rd(ww_float(v)); }
WW_DEVICE int __bfloat162int_ru(__nv_bfloat16 v) { return __float2int_ru(ww_float(v)); }
WW_BOTH __nv_bfloat16 __uint2bfloat16_rn(unsigned int v) { return __nv_bfloat16(v); }
WW_DEVICE unsigned int __bfloat162uint_rn(__nv_bfloat16 v) { return __float2uint_rn(ww_float(v)); }
WW_DEVICE unsigned int __bfloat162uint_rz(__nv_bfloat16 v) { return __float2uint_rz(ww_float(v)); }
WW_DEVICE unsigned int __bfloat162uint_rd(__nv_bfloat16 v) { return __float2uint_rd(ww_float(v)); }
WW_DEVICE unsigned int __bfloat162uint_ru(__nv_bfloat16 v) { return __float2uint_ru(ww_float(v)); }
WW_BOTH __nv_bfloat16 __short2bfloat16_rn(short v) { return __nv_bfloat16(v); }
WW_DEVICE short __bfloat162short_rn(__nv_bfloat16 v) { return (short)min(max(__float2int_rn(ww_float(v)), -32768), 32767); }
WW_DEVICE short __bfloat162short_rz(__nv_bfloat16 v) { return (short)min(max(__float2int_rz(ww_float(v)), -32768), 32767); }
WW_DEVICE short __bfloat162short_rd(__nv_bfloat16 v) { return (short)min(max(__float2int_rd(ww_float(v)), -32768), 32767); }
WW_DEVICE short __bfloat162short_ru(__nv_bfloat16 v) { return (short)min(max(__float2int_ru(ww_float(v)), -32768), 32767); }
WW_BOTH __nv_bfloat16 __ushort2bfloat16_rn(unsigned short v) { return __nv_bfloat16(v); }
WW_DEVICE unsigned short __bfloat162ushort_rn(__nv_bfloat16 v) { return (unsigned short)min(max(__float2int_rn(ww_float(v)), 0), 65535); }
WW_DEVICE unsigned short __bfloat162ushort_rz(__nv_bfloat16 v) { return (unsigned short)min(max(__float2int_rz(ww_float(v)), 0), 65535); }
WW_DEVICE unsigned short __bfloat162ushort_rd(__nv_bfloat16 v) { return (unsigned short)min(max(__float2int_rd(ww_float(v)), 0), 65535); }
WW_DEVICE unsigned short __bfloat162ushort_ru(__nv_bfloat16 v) { return (unsigned short)min(max(__float2int_ru(ww_float(v)), 0), 65535); }
WW_BOTH __nv_bfloat16 __ll2bfloat16_rn(long long v) { return __nv_bfloat16(v); }
WW_DEVICE long long __bfloat162ll_rn(__nv_bfloat16 v) { return __float2ll_rn(ww_float(v)); }
WW_DEVICE long long __bfloat162ll_rz(__nv_bfloat16 v) { return __float2ll_rz(ww_float(v)); }
WW_DEVICE long long __bfloat162ll_rd(__nv_bfloat16 v) { return __float2ll_rd(ww_float(v)); }
WW_DEVICE long long __bfloat162ll_ru(__nv_bfloat16 v) { return __float2ll_ru(ww_float(v)); }
WW_BOTH __nv_bfloat16 __ull2bfloat16_rn(unsigned long long v) { return __nv_bfloat16(v); }
WW_DEVICE unsigned long long __bfloat162ull_rn(__nv_bfloat16 v) { return __float2ull_rn(ww_float(v)); }
WW_DEVICE unsigned long long __bfloat162ull_rz(__nv_bfloat16 v) { return __float2ull_rz(ww_float(v)); }
WW_DEVICE unsigned long long __bfloat162ull_rd(__nv_bfloat16 v) { return __float2ull_rd(ww_float(v)); }
WW_DEVICE unsigned long long __bfloat162ull_ru(__nv_bfloat16 v) { return __float2ull_ru(ww_float(v)); }

// The bits.
WW_BOTH short __bfloat16_as_short(__nv_bfloat16 v) { return (short)v.__x; }
WW_BOTH unsigned short __bfloat16_as_ushort(__nv_bfloat16 v) { return v.__x; }
WW_BOTH __nv_bfloat16 __short_as_bfloat16(short v) { return ww_from_bits<__nv_bfloat16>((unsigned short)v); }
WW_BOTH __nv_bfloat16 __ushort_as_bfloat16(unsigned short v) { return ww_from_bits<__nv_bfloat16>(v); }

// Pairs.
WW_BOTH __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat162(a, b); }
WW_BOTH __nv_bfloat162 make_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat162(a, b); }
WW_BOTH __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a) { return __nv_bfloat162(a, a); }
WW_BOTH __nv_bfloat16 __low2bfloat16(__nv_bfloat162 v) { return v.x; }
WW_BOTH __nv_bfloat16 __high2bfloat16(__nv_bfloat162 v) { return v.y; }
WW_BOTH float __low2float(__nv_bfloat162 v) { return ww_float(v.x); }
WW_BOTH float __high2float(__nv_bfloat162 v) { return ww_float(v.y); }
WW_BOTH __nv_bfloat162 __low2bfloat162(__nv_bfloat162 v) { return __nv_bfloat162(v.x, v.x); }
WW_BOTH __nv_bfloat162 __high2bfloat162(__nv_bfloat162 v) { return __nv_bfloat162(v.y, v.y); }
WW_BOTH __nv_bfloat162 __lows2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(a.x, b.x); }
WW_BOTH __nv_bfloat162 __highs2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(a.y, b.y); }
WW_BOTH __nv_bfloat162 __lowhigh2highlow(__nv_bfloat162 v) { return __nv_bfloat162(v.y, v.x); }
WW_BOTH __nv_bfloat162 __floats2bfloat162_rn(float a, float b) { return __nv_bfloat162(__nv_bfloat16(a), __nv_bfloat16(b)); }
WW_BOTH __nv_bfloat162 __float2bfloat162_rn(float a) { return __nv_bfloat162(__nv_bfloat16(a), __nv_bfloat16(a)); }
WW_BOTH __nv_bfloat162 __float22bfloat162_rn(float2 v) { return __floats2bfloat162_rn(v.x, v.y); }
WW_BOTH float2 __bfloat1622float2(__nv_bfloat162 v) { return float2{ww_float(v.x), ww_float(v.y)}; }

// Arithmetic.
WW_BOTH __nv_bfloat16 __hneg(__nv_bfloat16 a) { return ww_from_bits<__nv_bfloat16>(a.__x ^ 0x8000); }
WW_BOTH __nv_bfloat16 __habs(__nv_bfloat16 a) { return ww_from_bits<__nv_bfloat16>(a.__x & 0x7fff); }
WW_BOTH __nv_bfloat162 __hneg2(__nv_bfloat162 a) { return __nv_bfloat162(__hneg(a.x), __hneg(a.y)); }
WW_BOTH __nv_bfloat162 __habs2(__nv_bfloat162 a) { return __nv_bfloat162(__habs(a.x), __habs(a.y)); }
WW_BOTH __nv_bfloat16 __hdiv(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat16(ww_float(a) / ww_float(b)); }
WW_BOTH __nv_bfloat162 __h2div(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(__hdiv(a.x, b.x), __hdiv(a.y, b.y)); }
#if __CUDA_ARCH__ >= 800
WW_DEVICE __nv_bfloat16 __hfma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) {
    unsigned short r;
    __asm__("fma.rn.bf16 %0, %1, %2, %3;" : "=h"(r) : "h"(a.__x), "h"(b.__x), "h"(c.__x));
    return ww_from_bits<__nv_bfloat16>(r);
}
WW_DEVICE __nv_bfloat162 __hfma2(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c) {
    unsigned int r;
    __asm__("fma.rn.bf16x2 %0, %1, %2, %3;" : "=r"(r) : "r"(ww_pack(a)), "r"(ww_pack(b)), "r"(ww_pack(c)));
    return ww_unpack_bf16x2(r);
}
WW_DEVICE __nv_bfloat16 __hfma_relu(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) {
    unsigned short r;
    __asm__("fma.rn.relu.bf16 %0, %1, %2, %3;" : "=h"(r) : "h"(a.__x), "h"(b.__x), "h"(c.__x));
    return ww_from_bits<__nv_bfloat16>(r);
}
WW_DEVICE __nv_bfloat162 __hfma2_relu(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c) {
    unsigned int r;
    __asm__("fma.rn.relu.bf16x2 %0, %1, %2, %3;" : "=r"(r) : "r"(ww_pack(a)), "r"(ww_pack(b)), "r"(ww_pack(c)));
    return ww_unpack_bf16x2(r);
}
WW_DEVICE __nv_bfloat16 __hmin(__nv_bfloat16 a, __nv_bfloat16 b) {
    unsigned short r;
    __asm__("min.bf16 %0, %1, %2;" : "=h"(r) : "h"(a.__x), "h"(b.__x));
    return ww_from_bits<__nv_bfloat16>(r);
}
WW_DEVICE __nv_bfloat162 __hmin2(__nv_bfloat162 a, __nv_bfloat162 b) {
    unsigned int r;
    __asm__("min.bf16x2 %0, %1, %2;" : "=r"(r) : "r"(ww_pack(a)), "r"(ww_pack(b)));
    return ww_unpack_bf16x2(r);
}
WW_DEVICE __nv_bfloat16 __hmax(__nv_bfloat16 a, __nv_bfloat16 b) {
    unsigned short r;
    __asm__("max.bf16 %0, %1, %2;" : "=h"(r) : "h"(a.__x), "h"(b.__x));
    return ww_from_bits<__nv_bfloat16>(r);
}
WW_DEVICE __nv_bfloat162 __hmax2(__nv_bfloat162 a, __nv_bfloat162 b) {
    unsigned int r;
    __asm__("max.bf16x2 %0, %1, %2;" : "=r"(r) : "r"(ww_pack(a)), "r"(ww_pack(b)));
    return ww_unpack_bf16x2(r);
}
WW_DEVICE __nv_bfloat16 __hmin_nan(__nv_bfloat16 a, __nv_bfloat16 b) {
    unsigned short r;
    __asm__("min.NaN.bf16 %0, %1, %2;" : "=h"(r) : "h"(a.__x), "h"(b.__x));
    return ww_from_bits<__nv_bfloat16>(r);
}
WW_DEVICE __nv_bfloat162 __hmin2_nan(__nv_bfloat162 a, __nv_bfloat162 b) {
    unsigned int r;
    __asm__("min.NaN.bf16x2 %0, %1, %2;" : "=r"(r) : "r"(ww_pack(a)), "r"(ww_pack(b)));
    return ww_unpack_bf16x2(r);
}
WW_DEVICE __nv_bfloat16 __hmax_nan(__nv_bfloat16 a, __nv_bfloat16 b) {
    unsigned short r;
    __asm__("max.NaN.bf16 %0, %1, %2;" : "=h"(r) : "h"(a.__x), "h"(b.__x));
    return ww_from_bits<__nv_bfloat16>(r);
}
WW_DEVICE __nv_bfloat162 __hmax2_nan(__nv_bfloat162 a, __nv_bfloat162 b) {
    unsigned int r;
    __asm__("max.NaN.bf16x2 %0, %1, %2;" : "=r"(r) : "r"(ww_pack(a)), "r"(ww_pack(b)));
    return ww_unpack_bf16x2(r);
}
// sm_80 has only the fused operation: a + b = a * 1 + b, a * b = a * b + (-0).
#if __CUDA_ARCH__ >= 900
WW_DEVICE __nv_bfloat16 __hadd(__nv_bfloat16 a, __nv_bfloat16 b) {
    unsigned short r;
    __asm__("add.rn.bf16 %0, %1, %2;" : "=h"(r) : "h"(a.__x), "h"(b.__x));
    return ww_from_bits<__nv_bfloat16>(r);
}
WW_DEVICE __nv_bfloat162 __hadd2(__nv_bfloat162 a, __nv_bfloat162 b) {
    unsigned int r;
    __asm__("add.rn.bf16x2 %0, %1, %2;" : "=r"(r) : "r"(ww_pack(a)), "r"(ww_pack(b)));
    return ww_unpack_bf16x2(r);
}
WW_DEVICE __nv_bfloat16 __hsub(__nv_bfloat16 a, __nv_bfloat16 b) {
    unsigned short r;
    __asm__("sub.rn.bf16 %0, %1, %2;" : "=h"(r) : "h"(a.__x), "h"(b.__x));
    return ww_from_bits<__nv_bfloat16>(r);
}
WW_DEVICE __nv_bfloat162 __hsub2(__nv_bfloat162 a, __nv_bfloat162 b) {
    unsigned int r;
    __asm__("sub.rn.bf16x2 %0, %1, %2;" : "=r"(r) : "r"(ww_pack(a)), "r"(ww_pack(b)));
    return ww_unpack_bf16x2(r);
}
WW_DEVICE __nv_bfloat16 __hmul(__nv_bfloat16 a, __nv_bfloat16 b) {
    unsigned short r;
    __asm__("mul.rn.bf16 %0, %1, %2;" : "=h"(r) : "h"(a.__x), "h"(b.__x));
    return ww_from_bits<__nv_bfloat16>(r);
}
WW_DEVICE __nv_bfloat162 __hmul2(__nv_bfloat162 a, __nv_bfloat162 b) {
    unsigned int r;
    __asm__("mul.rn.bf16x2 %0, %1, %2;" : "=r"(r) : "r"(ww_pack(a)), "r"(ww_pack(b)));
    return ww_unpack_bf16x2(r);
}
#else
WW_DEVICE __nv_bfloat16 __hadd(__nv_bfloat16 a, __nv_bfloat16 b) { return __hfma(a, ww_from_bits<__nv_bfloat16>(0x3f80), b); }
WW_DEVICE __nv_bfloat16 __hsub(__nv_bfloat16 a, __nv_bfloat16 b) { return __hfma(b, ww_from_bits<__nv_bfloat16>(0xbf80), a); }
WW_DEVICE __nv_bfloat16 __hmul(__nv_bfloat16 a, __nv_bfloat16 b) { return __hfma(a, b, ww_from_bits<__nv_bfloat16>(0x8000)); }
WW_DEVICE __nv_bfloat162 __hadd2(__nv_bfloat162 a, __nv_bfloat162 b) { return __hfma2(a, ww_unpack_bf16x2(0x3f803f80u), b); }
WW_DEVICE __nv_bfloat162 __hsub2(__nv_bfloat162 a, __nv_bfloat162 b) { return __hfma2(b, ww_unpack_bf16x2(0xbf80bf80u), a); }
WW_DEVICE __nv_bfloat162 __hmul2(__nv_bfloat162 a, __nv_bfloat162 b) { return __hfma2(a, b, ww_unpack_bf16x2(0x80008000u)); }
#endif
WW_DEVICE __nv_bfloat16 __hadd_rn(__nv_bfloat16 a, __nv_bfloat16 b) { return __hadd(a, b); }
WW_DEVICE __nv_bfloat16 __hsub_rn(__nv_bfloat16 a, __nv_bfloat16 b) { return __hsub(a, b); }
WW_DEVICE __nv_bfloat16 __hmul_rn(__nv_bfloat16 a, __nv_bfloat16 b) { return __hmul(a, b); }
WW_DEVICE __nv_bfloat162 __hadd2_rn(__nv_bfloat162 a, __nv_bfloat162 b) { return __hadd2(a, b); }
WW_DEVICE __nv_bfloat162 __hsub2_rn(__nv_bfloat162 a, __nv_bfloat162 b) { return __hsub2(a, b); }
WW_DEVICE __nv_bfloat162 __hmul2_rn(__nv_bfloat162 a, __nv_bfloat162 b) { return __hmul2(a, b); }
#else
WW_BOTH __nv_bfloat16 __hadd(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat16(ww_float(a) + ww_float(b)); }
WW_BOTH __nv_bfloat162 __hadd2(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(__hadd(a.x, b.x), __hadd(a.y, b.y)); }
WW_BOTH __nv_bfloat16 __hsub(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat16(ww_float(a) - ww_float(b)); }
WW_BOTH __nv_bfloat162 __hsub2(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(__hsub(a.x, b.x), __hsub(a.y, b.y)); }
WW_BOTH __nv_bfloat16 __hmul(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat16(ww_float(a) * ww_float(b)); }
WW_BOTH __nv_bfloat162 __hmul2(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(__hmul(a.x, b.x), __hmul(a.y, b.y)); }
// The product is exact in double, and their sum is rounded to odd before it is narrowed.
WW_BOTH __nv_bfloat16 __hfma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) { return __nv_bfloat16((double)ww_float(a) * ww_float(b) + ww_float(c)); }
WW_BOTH __nv_bfloat162 __hfma2(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c) { return __nv_bfloat162(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)); }
WW_BOTH __nv_bfloat16 __hmin(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat16(__builtin_fminf(ww_float(a), ww_float(b))); }
WW_BOTH __nv_bfloat16 __hmax(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat16(__builtin_fmaxf(ww_float(a), ww_float(b))); }
WW_BOTH __nv_bfloat162 __hmin2(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(__hmin(a.x, b.x), __hmin(a.y, b.y)); }
WW_BOTH __nv_bfloat162 __hmax2(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(__hmax(a.x, b.x), __hmax(a.y, b.y)); }
#endif
WW_BOTH bool __hisnan(__nv_bfloat16 a) { return ww_float(a) != ww_float(a); }
WW_BOTH int __hisinf(__nv_bfloat16 a) { return !__builtin_isinf(ww_float(a)) ? 0 : a.__x & 0x8000 ? -1 : 1; }
WW_BOTH __nv_bfloat162 __hisnan2(__nv_bfloat162 a) { return __nv_bfloat162(ww_truth<__nv_bfloat16>(__hisnan(a.x)), ww_truth<__nv_bfloat16>(__hisnan(a.y))); }

WW_HALF_COMPARES(__nv_bfloat16, __nv_bfloat162)
WW_HALF_OPERATORS(__nv_bfloat16, __nv_bfloat162)
WW_HALF_FUNCTIONS(__nv_bfloat16, __nv_bfloat162, __nv_bfloat16)
WW_HALF_MEMORY(__nv_bfloat16, __nv_bfloat162)

// Atomic addition; a pair is added in one instruction, each half on its own.
#if WW_ARCH >= 900
WW_DEVICE __nv_bfloat16 atomicAdd(__nv_bfloat16* p, __nv_bfloat16 v) {
    unsigned short r;
    __asm__ volatile("atom.add.noftz.bf16 %0, [%1], %2;" : "=h"(r) : "l"(p), "h"(v.__x) : "memory");
    return ww_from_bits<__nv_bfloat16>(r);
}
WW_DEVICE __nv_bfloat162 atomicAdd(__nv_bfloat162* p, __nv_bfloat162 v) {
    unsigned int r;
    __asm__ volatile("atom.add.noftz.bf16x2 %0, [%1], %2;" : "=r"(r) : "l"(p), "r"(ww_pack(v)) : "memory");
    return ww_unpack_bf16x2(r);
}
#else
WW_DEVICE __nv_bfloat162 atomicAdd(__nv_bfloat162* p, __nv_bfloat162 v) {
    unsigned int seen = *reinterpret_cast<volatile unsigned int*>(p), expected;
    do {
        expected = seen;
        seen = atomicCAS(reinterpret_cast<unsigned int*>(p), expected, ww_pack(__hadd2(ww_unpack_bf16x2(expected), v)));
    } while (seen != expected);
    return ww_unpack_bf16x2(seen);
}
#if WW_ARCH >= 700
WW_DEVICE __nv_bfloat16 atomicAdd(__nv_bfloat16* p, __nv_bfloat16 v) {
    unsigned short seen = *reinterpret_cast<volatile unsigned short*>(p), expected;
    do {
        expected = seen;
        seen = atomicCAS(reinterpret_cast<unsigned short*>(p), expected, ww_bits(__hadd(ww_from_bits<__nv_bfloat16>(expected), v)));
    } while (seen != expected);
    return ww_from_bits<__nv_bfloat16>(seen);
}
#endif
#endif
#include "warpwright/restore_names.h"
