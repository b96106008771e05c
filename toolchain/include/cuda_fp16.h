// Half precision as <cuda_fp16.h> has it: the types __half and __half2, their operators and intrinsics.
#pragma once
#define __CUDA_FP16_H__
#include "warpwright/hide_names.h"

#include "warpwright/half_common.h"

WW_BOTH float ww_f16_to_float(unsigned short x) { return (float)__builtin_bit_cast(_Float16, x); }
WW_BOTH unsigned short ww_float_to_f16(float x) { return __builtin_bit_cast(unsigned short, (_Float16)x); }

struct __attribute__((aligned(2))) __half_raw { unsigned short x; };
struct __attribute__((aligned(4))) __half2_raw { unsigned short x, y; };
struct __attribute__((aligned(2))) __half {
    unsigned short __x;
    __host__ __device__ WW_INLINE constexpr __half(const __half_raw& raw) : __x(raw.x) {}
    __host__ __device__ WW_INLINE __half& operator=(const __half_raw& raw) { return __x = raw.x, *this; }
    __host__ __device__ WW_INLINE operator __half_raw() const { return {__x}; }
    __host__ __device__ WW_INLINE operator __half_raw() const volatile { return {__x}; }
    __half() = default;
    __host__ __device__ WW_INLINE __half(float v) : __x(ww_float_to_f16(v)) {}
    __host__ __device__ WW_INLINE __half(double v) : __x(__builtin_bit_cast(unsigned short, (_Float16)v)) {}
    __host__ __device__ WW_INLINE __half(short v) : __x(__builtin_bit_cast(unsigned short, (_Float16)v)) {}
    __host__ __device__ WW_INLINE __half(unsigned short v) : __x(__builtin_bit_cast(unsigned short, (_Float16)v)) {}
    __host__ __device__ WW_INLINE __half(int v) : __x(__builtin_bit_cast(unsigned short, (_Float16)v)) {}
    __host__ __device__ WW_INLINE __half(unsigned int v) : __x(__builtin_bit_cast(unsigned short, (_Float16)v)) {}
    __host__ __device__ WW_INLINE __half(long v) : __x(__builtin_bit_cast(unsigned short, (_Float16)v)) {}
    __host__ __device__ WW_INLINE __half(unsigned long v) : __x(__builtin_bit_cast(unsigned short, (_Float16)v)) {}
    __host__ __device__ WW_INLINE __half(long long v) : __x(__builtin_bit_cast(unsigned short, (_Float16)v)) {}
    __host__ __device__ WW_INLINE __half(unsigned long long v) : __x(__builtin_bit_cast(unsigned short, (_Float16)v)) {}
    __host__ __device__ WW_INLINE operator float() const { return ww_f16_to_float(__x); }
};
struct __attribute__((aligned(4))) __half2 {
    __half x, y;
    __half2() = default;
    __host__ __device__ WW_INLINE __half2(__half a, __half b) : x(a), y(b) {}
    __host__ __device__ WW_INLINE __half2(const __half2_raw& raw) : x(__half_raw{raw.x}), y(__half_raw{raw.y}) {}
    __host__ __device__ WW_INLINE operator __half2_raw() const { return {x.__x, y.__x}; }
};
typedef __half half;
typedef __half2 half2;
typedef __half __nv_half;
typedef __half2 __nv_half2;
typedef __half nv_half;
typedef __half2 nv_half2;

WW_BOTH float ww_float(__half v) { return ww_f16_to_float(v.__x); }
// 1 or 0, as comparisons of pairs give them.
#ifndef WW_HALF_TRUTH
#define WW_HALF_TRUTH
template <class T> static __host__ __device__ WW_INLINE T ww_truth(bool b) { return T(b ? 1.0f : 0.0f); }
#endif
WW_BOTH unsigned int ww_pack(__half2 v) { return __builtin_bit_cast(unsigned int, v); }
WW_BOTH __half2 ww_unpack_f16x2(unsigned int v) { return __builtin_bit_cast(__half2, v); }

// Conversions.
WW_BOTH float __half2float(__half v) { return ww_float(v); }
WW_BOTH __half __float2half(float v) { return __half(v); }
WW_BOTH __half __float2half_rn(float v) { return __half(v); }
WW_BOTH __half __double2half(double v) { return __half(v); }
WW_DEVICE __half __float2half_rz(float v) {
    unsigned short r;
    __asm__("cvt.rz.f16.f32 %0, %1;" : "=h"(r) : "f"(v));
    return ww_from_bits<__half>(r);
}
// Toward minus and plus infinity: the neighbour of the value rounded to nearest, where that lies on the wrong side.
WW_DEVICE __half ww_half_step(__half h, bool up) {
    unsigned short b = h.__x;
    if ((b & 0x7fff) == 0) return ww_from_bits<__half>(up ? 0x0001 : 0x8001);
    return ww_from_bits<__half>((unsigned short)(((b & 0x8000) != 0) == up ? b - 1 : b + 1));
}
WW_DEVICE __half __float2half_rd(float v) {
    __half h(v);
    return ww_float(h) > v ? ww_half_step(h, false) : h;
}
WW_DEVICE __half __float2half_ru(float v) {
    __half h(v);
    return ww_float(h) < v ? ww_half_step(h, true) : h;
}
WW_BOTH __half __int2half_rn(int v) { return __half(v); }
WW_DEVICE int __half2int_rn(__half v) { return __float2int_rn(ww_float(v)); }
WW_DEVICE int __half2int_rz(__half v) { return __float2int_rz(ww_float(v)); }
WW_DEVICE int __half2int_rd(__half v) { return __float2int_rd(ww_float(v)); }
WW_DEVICE int __half2int_ru(__half v) { return __float2int_ru(ww_float(v)); }
WW_BOTH __half __uint2half_rn(unsigned int v) { return __half(v); }
WW_DEVICE unsigned int __half2uint_rn(__half v) { return __float2uint_rn(ww_float(v)); }
WW_DEVICE unsigned int __half2uint_rz(__half v) { return __float2uint_rz(ww_float(v)); }
WW_DEVICE unsigned int __half2uint_rd(__half v) { return __float2uint_rd(ww_float(v)); }
WW_DEVICE unsigned int __half2uint_ru(__half v) { return __float2uint_ru(ww_float(v)); }
WW_BOTH __half __short2half_rn(short v) { return __half(v); }
WW_DEVICE short __half2short_rn(__half v) { return (short)min(max(__float2int_rn(ww_float(v)), -32768), 32767); }
WW_DEVICE short __half2short_rz(__half v) { return (short)min(max(__float2int_rz(ww_float(v)), -32768), 32767); }
WW_DEVICE short __half2short_rd(__half v) { return (short)min(max(__float2int_rd(ww_float(v)), -32768), 32767); }
WW_DEVICE short __half2short_ru(__half v) { return (short)min(max(__float2int_ru(ww_float(v)), -32768), 32767); }
WW_BOTH __half __ushort2half_rn(unsigned short v) { return __half(v); }
WW_DEVICE unsigned short __half2ushort_rn(__half v) { return (unsigned short)min(max(__float2int_rn(ww_float(v)), 0), 65535); }
WW_DEVICE unsigned short __half2ushort_rz(__half v) { return (unsigned short)min(max(__float2int_rz(ww_float(v)), 0), 65535); }
WW_DEVICE unsigned short __half2ushort_rd(__half v) { return (unsigned short)min(max(__float2int_rd(ww_float(v)), 0), 65535); }
WW_DEVICE unsigned short __half2ushort_ru(__half v) { return (unsigned short)min(max(__float2int_ru(ww_float(v)), 0), 65535); }
WW_BOTH __half __ll2half_rn(long long v) { return __half(v); }
WW_DEVICE long long __half2ll_rn(__half v) { return __float2ll_rn(ww_float(v)); }
WW_DEVICE long long __half2ll_rz(__half v) { return __float2ll_rz(ww_float(v)); }
WW_DEVICE long long __half2ll_rd(__half v) { return __float2ll_rd(ww_float(v)); }
WW_DEVICE long long __half2ll_ru(__half v) { return __float2ll_ru(ww_float(v)); }
WW_BOTH __half __ull2half_rn(unsigned long long v) { return __half(v); }
WW_DEVICE unsigned long long __half2ull_rn(__half v) { return __float2ull_rn(ww_float(v)); }
WW_DEVICE unsigned long long __half2ull_rz(__half v) { return __float2ull_rz(ww_float(v)); }
WW_DEVICE unsigned long long __half2ull_rd(__half v) { return __float2ull_rd(ww_float(v)); }
WW_DEVICE unsigned long long __half2ull_ru(__half v) { return __float2ull_ru(ww_float(v)); }

// The bits.
WW_BOTH short __half_as_short(__half v) { return (short)v.__x; }
WW_BOTH unsigned short __half_as_ushort(__half v) { return v.__x; }
WW_BOTH __half __short_as_half(short v) { return ww_from_bits<__half>((unsigned short)v); }
WW_BOTH __half __ushort_as_half(unsigned short v) { return ww_from_bits<__half>(v); }

// Pairs.
WW_BOTH __half2 __halves2half2(__half a, __half b) { return __half2(a, b); }
WW_BOTH __half2 make_half2(__half a, __half b) { return __half2(a, b); }
WW_BOTH __half2 __half2half2(__half a) { return __half2(a, a); }
WW_BOTH __half __low2half(__half2 v) { return v.x; }
WW_BOTH __half __high2half(__half2 v) { return v.y; }
WW_BOTH float __low2float(__half2 v) { return ww_float(v.x); }
WW_BOTH float __high2float(__half2 v) { return ww_float(v.y); }
WW_BOTH __half2 __low2half2(__half2 v) { return __half2(v.x, v.x); }
WW_BOTH __half2 __high2half2(__half2 v) { return __half2(v.y, v.y); }
WW_BOTH __half2 __lows2half2(__half2 a, __half2 b) { return __half2(a.x, b.x); }
WW_BOTH __half2 __highs2half2(__half2 a, __half2 b) { return __half2(a.y, b.y); }
WW_BOTH __half2 __lowhigh2highlow(__half2 v) { return __half2(v.y, v.x); }
WW_BOTH __half2 __floats2half2_rn(float a, float b) { return __half2(__half(a), __half(b)); }
WW_BOTH __half2 __float2half2_rn(float a) { return __half2(__half(a), __half(a)); }
WW_BOTH __half2 __float22half2_rn(float2 v) { return __floats2half2_rn(v.x, v.y); }
WW_BOTH float2 __half22float2(__half2 v) { return float2{ww_float(v.x), ww_float(v.y)}; }

// Arithmetic.
typedef _Float16 ww_f16_pair __attribute__((ext_vector_type(2)));
#define WW_F16_ARITHMETIC(name, op)                                                                           \
    WW_BOTH __half name(__half a, __half b) {                                                                 \
        return __builtin_bit_cast(__half, (_Float16)(__builtin_bit_cast(_Float16, a) op __builtin_bit_cast(_Float16, b))); \
    }                                                                                                         \
    WW_BOTH __half2 name##2(__half2 a, __half2 b) {                                                           \
        return __builtin_bit_cast(__half2, __builtin_bit_cast(ww_f16_pair, a) op __builtin_bit_cast(ww_f16_pair, b)); \
    }
WW_F16_ARITHMETIC(__hadd, +)
WW_F16_ARITHMETIC(__hsub, -)
WW_F16_ARITHMETIC(__hmul, *)
#undef WW_F16_ARITHMETIC
WW_BOTH __half __hneg(__half a) { return ww_from_bits<__half>(a.__x ^ 0x8000); }
WW_BOTH __half __habs(__half a) { return ww_from_bits<__half>(a.__x & 0x7fff); }
WW_BOTH __half2 __hneg2(__half2 a) { return __half2(__hneg(a.x), __hneg(a.y)); }
WW_BOTH __half2 __habs2(__half2 a) { return __half2(__habs(a.x), __habs(a.y)); }
WW_BOTH __half __hdiv(__half a, __half b) { return __half(ww_float(a) / ww_float(b)); }
WW_BOTH __half2 __h2div(__half2 a, __half2 b) { return __half2(__hdiv(a.x, b.x), __hdiv(a.y, b.y)); }
#if __CUDA_ARCH__ >= 800
WW_DEVICE __half __hfma(__half a, __half b, __half c) {
    unsigned short r;
    __asm__("fma.rn.f16 %0, %1, %2, %3;" : "=h"(r) : "h"(a.__x), "h"(b.__x), "h"(c.__x));
    return ww_from_bits<__half>(r);
}
WW_DEVICE __half2 __hfma2(__half2 a, __half2 b, __half2 c) {
    unsigned int r;
    __asm__("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(r) : "r"(ww_pack(a)), "r"(ww_pack(b)), "r"(ww_pack(c)));
    return ww_unpack_f16x2(r);
}
WW_DEVICE __half __hfma_relu(__half a, __half b, __half c) {
    unsigned short r;
    __asm__("fma.rn.relu.f16 %0, %1, %2, %3;" : "=h"(r) : "h"(a.__x), "h"(b.__x), "h"(c.__x));
    return ww_from_bits<__half>(r);
}
WW_DEVICE __half2 __hfma2_relu(__half2 a, __half2 b, __half2 c) {
    unsigned int r;
    __asm__("fma.rn.relu.f16x2 %0, %1, %2, %3;" : "=r"(r) : "r"(ww_pack(a)), "r"(ww_pack(b)), "r"(ww_pack(c)));
    return ww_unpack_f16x2(r);
}
WW_DEVICE __half __hfma_sat(__half a, __half b, __half c) {
    unsigned short r;
    __asm__("fma.rn.sat.f16 %0, %1, %2, %3;" : "=h"(r) : "h"(a.__x), "h"(b.__x), "h"(c.__x));
    return ww_from_bits<__half>(r);
}
WW_DEVICE __half2 __hfma2_sat(__half2 a, __half2 b, __half2 c) {
    unsigned int r;
    __asm__("fma.rn.sat.f16x2 %0, %1, %2, %3;" : "=r"(r) : "r"(ww_pack(a)), "r"(ww_pack(b)), "r"(ww_pack(c)));
    return ww_unpack_f16x2(r);
}
WW_DEVICE __half __hadd_sat(__half a, __half b) {
    unsigned short r;
    __asm__("add.sat.f16 %0, %1, %2;" : "=h"(r) : "h"(a.__x), "h"(b.__x));
    return ww_from_bits<__half>(r);
}
WW_DEVICE __half2 __hadd2_sat(__half2 a, __half2 b) {
    unsigned int r;
    __asm__("add.sat.f16x2 %0, %1, %2;" : "=r"(r) : "r"(ww_pack(a)), "r"(ww_pack(b)));
    return ww_unpack_f16x2(r);
}
WW_DEVICE __half __hsub_sat(__half a, __half b) {
    unsigned short r;
    __asm__("sub.sat.f16 %0, %1, %2;" : "=h"(r) : "h"(a.__x), "h"(b.__x));
    return ww_from_bits<__half>(r);
}
WW_DEVICE __half2 __hsub2_sat(__half2 a, __half2 b) {
    unsigned int r;
    __asm__("sub.sat.f16x2 %0, %1, %2;" : "=r"(r) : "r"(ww_pack(a)), "r"(ww_pack(b)));
    return ww_unpack_f16x2(r);
}
WW_DEVICE __half __hmul_sat(__half a, __half b) {
    unsigned short r;
    __asm__("mul.sat.f16 %0, %1, %2;" : "=h"(r) : "h"(a.__x), "h"(b.__x));
    return ww_from_bits<__half>(r);
}
WW_DEVICE __half2 __hmul2_sat(__half2 a, __half2 b) {
    unsigned int r;
    __asm__("mul.sat.f16x2 %0, %1, %2;" : "=r"(r) : "r"(ww_pack(a)), "r"(ww_pack(b)));
    return ww_unpack_f16x2(r);
}
WW_DEVICE __half __hadd_rn(__half a, __half b) {
    unsigned short r;
    __asm__("add.rn.f16 %0, %1, %2;" : "=h"(r) : "h"(a.__x), "h"(b.__x));
    return ww_from_bits<__half>(r);
}
WW_DEVICE __half2 __hadd2_rn(__half2 a, __half2 b) {
    unsigned int r;
    __asm__("add.rn.f16x2 %0, %1, %2;" : "=r"(r) : "r"(ww_pack(a)), "r"(ww_pack(b)));
    return ww_unpack_f16x2(r);
}
WW_DEVICE __half __hsub_rn(__half a, __half b) {
    unsigned short r;
    __asm__("sub.rn.f16 %0, %1, %2;" : "=h"(r) : "h"(a.__x), "h"(b.__x));
    return ww_from_bits<__half>(r);
}
WW_DEVICE __half2 __hsub2_rn(__half2 a, __half2 b) {
    unsigned int r;
    __asm__("sub.rn.f16x2 %0, %1, %2;" : "=r"(r) : "r"(ww_pack(a)), "r"(ww_pack(b)));
    return ww_unpack_f16x2(r);
}
WW_DEVICE __half __hmul_rn(__half a, __half b) {
    unsigned short r;
    __asm__("mul.rn.f16 %0, %1, %2;" : "=h"(r) : "h"(a.__x), "h"(b.__x));
    return ww_from_bits<__half>(r);
}
WW_DEVICE __half2 __hmul2_rn(__half2 a, __half2 b) {
    unsigned int r;
    __asm__("mul.rn.f16x2 %0, %1, %2;" : "=r"(r) : "r"(ww_pack(a)), "r"(ww_pack(b)));
    return ww_unpack_f16x2(r);
}
WW_DEVICE __half __hmin(__half a, __half b) {
    unsigned short r;
    __asm__("min.f16 %0, %1, %2;" : "=h"(r) : "h"(a.__x), "h"(b.__x));
    return ww_from_bits<__half>(r);
}
WW_DEVICE __half2 __hmin2(__half2 a, __half2 b) {
    unsigned int r;
    __asm__("min.f16x2 %0, %1, %2;" : "=r"(r) : "r"(ww_pack(a)), "r"(ww_pack(b)));
    return ww_unpack_f16x2(r);
}
WW_DEVICE __half __hmax(__half a, __half b) {
    unsigned short r;
    __asm__("max.f16 %0, %1, %2;" : "=h"(r) : "h"(a.__x), "h"(b.__x));
    return ww_from_bits<__half>(r);
}
WW_DEVICE __half2 __hmax2(__half2 a, __half2 b) {
    unsigned int r;
    __asm__("max.f16x2 %0, %1, %2;" : "=r"(r) : "r"(ww_pack(a)), "r"(ww_pack(b)));
    return ww_unpack_f16x2(r);
}
WW_DEVICE __half __hmin_nan(__half a, __half b) {
    unsigned short r;
    __asm__("min.NaN.f16 %0, %1, %2;" : "=h"(r) : "h"(a.__x), "h"(b.__x));
    return ww_from_bits<__half>(r);
}
WW_DEVICE __half2 __hmin2_nan(__half2 a, __half2 b) {
    unsigned int r;
    __asm__("min.NaN.f16x2 %0, %1, %2;" : "=r"(r) : "r"(ww_pack(a)), "r"(ww_pack(b)));
    return ww_unpack_f16x2(r);
}
WW_DEVICE __half __hmax_nan(__half a, __half b) {
    unsigned short r;
    __asm__("max.NaN.f16 %0, %1, %2;" : "=h"(r) : "h"(a.__x), "h"(b.__x));
    return ww_from_bits<__half>(r);
}
WW_DEVICE __half2 __hmax2_nan(__half2 a, __half2 b) {
    unsigned int r;
    __asm__("max.NaN.f16x2 %0, %1, %2;" : "=r"(r) : "r"(ww_pack(a)), "r"(ww_pack(b)));
    return ww_unpack_f16x2(r);
}
#else
WW_BOTH __half __hfma(__half a, __half b, __half c) {
    return __builtin_bit_cast(__half, (_Float16)__builtin_fmaf16(__builtin_bit_cast(_Float16, a), __builtin_bit_cast(_Float16, b),
                                                              __builtin_bit_cast(_Float16, c)));
}
WW_BOTH __half2 __hfma2(__half2 a, __half2 b, __half2 c) { return __half2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)); }
WW_BOTH __half __hmin(__half a, __half b) { return __half(__builtin_fminf(ww_float(a), ww_float(b))); }
WW_BOTH __half __hmax(__half a, __half b) { return __half(__builtin_fmaxf(ww_float(a), ww_float(b))); }
WW_BOTH __half2 __hmin2(__half2 a, __half2 b) { return __half2(__hmin(a.x, b.x), __hmin(a.y, b.y)); }
WW_BOTH __half2 __hmax2(__half2 a, __half2 b) { return __half2(__hmax(a.x, b.x), __hmax(a.y, b.y)); }
#endif
WW_BOTH bool __hisnan(__half a) { return ww_float(a) != ww_float(a); }
WW_BOTH int __hisinf(__half a) { return !__builtin_isinf(ww_float(a)) ? 0 : a.__x & 0x8000 ? -1 : 1; }
WW_BOTH __half2 __hisnan2(__half2 a) { return __half2(ww_truth<__half>(__hisnan(a.x)), ww_truth<__half>(__hisnan(a.y))); }

WW_HALF_COMPARES(__half, __half2)
WW_HALF_OPERATORS(__half, __half2)
WW_HALF_FUNCTIONS(__half, __half2, __half)
WW_HALF_MEMORY(__half, __half2)

// Atomic addition; a pair is added in one instruction, each half on its own.
#if WW_ARCH >= 700
WW_DEVICE __half atomicAdd(__half* p, __half v) {
    unsigned short r;
    __asm__ volatile("atom.add.noftz.f16 %0, [%1], %2;" : "=h"(r) : "l"(p), "h"(v.__x) : "memory");
    return ww_from_bits<__half>(r);
}
WW_DEVICE __half2 atomicAdd(__half2* p, __half2 v) {
    unsigned int r;
    __asm__ volatile("atom.add.noftz.f16x2 %0, [%1], %2;" : "=r"(r) : "l"(p), "r"(ww_pack(v)) : "memory");
    return ww_unpack_f16x2(r);
}
#else
WW_DEVICE __half2 atomicAdd(__half2* p, __half2 v) {
    unsigned int seen = *reinterpret_cast<volatile unsigned int*>(p), expected;
    do {
        expected = seen;
        seen = atomicCAS(reinterpret_cast<unsigned int*>(p), expected, ww_pack(__hadd2(ww_unpack_f16x2(expected), v)));
    } while (seen != expected);
    return ww_unpack_f16x2(seen);
}
#endif
#include "warpwright/restore_names.h"
