// What the two 16-bit floating-point types share: one list of operations, expanded once for each type.
#pragma once

// T is the scalar, T2 the pair.
#define WW_HALF_OPERATORS(T, T2)                                                                        \
    WW_BOTH T operator+(T a, T b) { return __hadd(a, b); }                                              \
    WW_BOTH T operator-(T a, T b) { return __hsub(a, b); }                                              \
    WW_BOTH T operator*(T a, T b) { return __hmul(a, b); }                                              \
    WW_BOTH T operator/(T a, T b) { return __hdiv(a, b); }                                              \
    WW_BOTH T operator+(T a) { return a; }                                                              \
    WW_BOTH T operator-(T a) { return __hneg(a); }                                                      \
    WW_BOTH T& operator+=(T& a, T b) { return a = a + b; }                                              \
    WW_BOTH T& operator-=(T& a, T b) { return a = a - b; }                                              \
    WW_BOTH T& operator*=(T& a, T b) { return a = a * b; }                                              \
    WW_BOTH T& operator/=(T& a, T b) { return a = a / b; }                                              \
    WW_BOTH T& operator++(T& a) { return a = a + T(1.0f); }                                             \
    WW_BOTH T operator++(T& a, int) {                                                                   \
        const T before = a;                                                                             \
        return ++a, before;                                                                             \
    }                                                                                                   \
    WW_BOTH T& operator--(T& a) { return a = a - T(1.0f); }                                             \
    WW_BOTH T operator--(T& a, int) {                                                                   \
        const T before = a;                                                                             \
        return --a, before;                                                                             \
    }                                                                                                   \
    WW_BOTH bool operator==(T a, T b) { return __heq(a, b); }                                           \
    WW_BOTH bool operator!=(T a, T b) { return __hneu(a, b); }                                          \
    WW_BOTH bool operator<(T a, T b) { return __hlt(a, b); }                                            \
    WW_BOTH bool operator<=(T a, T b) { return __hle(a, b); }                                           \
    WW_BOTH bool operator>(T a, T b) { return __hgt(a, b); }                                            \
    WW_BOTH bool operator>=(T a, T b) { return __hge(a, b); }                                           \
    WW_BOTH T2 operator+(T2 a, T2 b) { return __hadd2(a, b); }                                          \
    WW_BOTH T2 operator-(T2 a, T2 b) { return __hsub2(a, b); }                                          \
    WW_BOTH T2 operator*(T2 a, T2 b) { return __hmul2(a, b); }                                          \
    WW_BOTH T2 operator/(T2 a, T2 b) { return __h2div(a, b); }                                          \
    WW_BOTH T2 operator+(T2 a) { return a; }                                                            \
    WW_BOTH T2 operator-(T2 a) { return __hneg2(a); }                                                   \
    WW_BOTH T2& operator+=(T2& a, T2 b) { return a = a + b; }                                           \
    WW_BOTH T2& operator-=(T2& a, T2 b) { return a = a - b; }                                           \
    WW_BOTH T2& operator*=(T2& a, T2 b) { return a = a * b; }                                           \
    WW_BOTH T2& operator/=(T2& a, T2 b) { return a = a / b; }                                           \
    WW_BOTH T2& operator++(T2& a) { return a = a + T2{decltype(a.x)(1.0f), decltype(a.x)(1.0f)}; }      \
    WW_BOTH T2 operator++(T2& a, int) {                                                                 \
        const T2 before = a;                                                                            \
        return ++a, before;                                                                             \
    }                                                                                                   \
    WW_BOTH T2& operator--(T2& a) { return a = a - T2{decltype(a.x)(1.0f), decltype(a.x)(1.0f)}; }      \
    WW_BOTH T2 operator--(T2& a, int) {                                                                 \
        const T2 before = a;                                                                            \
        return --a, before;                                                                             \
    }                                                                                                   \
    WW_BOTH bool operator==(T2 a, T2 b) { return __hbeq2(a, b); }                                       \
    WW_BOTH bool operator!=(T2 a, T2 b) { return __hbneu2(a, b); }                                      \
    WW_BOTH bool operator<(T2 a, T2 b) { return __hblt2(a, b); }                                        \
    WW_BOTH bool operator<=(T2 a, T2 b) { return __hble2(a, b); }                                       \
    WW_BOTH bool operator>(T2 a, T2 b) { return __hbgt2(a, b); }                                        \
    WW_BOTH bool operator>=(T2 a, T2 b) { return __hbge2(a, b); }

// Comparisons: plain ones are false when a NaN takes part, those with a trailing u are true.
#define WW_HALF_COMPARE(name, T, T2, expression, unordered)                                                        \
    WW_BOTH bool __h##name(T x, T y) {                                                                             \
        float a = ww_float(x), b = ww_float(y);                                                                    \
        return expression;                                                                                         \
    }                                                                                                              \
    WW_BOTH bool __h##name##u(T x, T y) {                                                                          \
        float a = ww_float(x), b = ww_float(y);                                                                    \
        return unordered;                                                                                          \
    }                                                                                                              \
    WW_BOTH T2 __h##name##2(T2 x, T2 y) { return T2(ww_truth<T>(__h##name(x.x, y.x)), ww_truth<T>(__h##name(x.y, y.y))); }  \
    WW_BOTH T2 __h##name##u2(T2 x, T2 y) { return T2(ww_truth<T>(__h##name##u(x.x, y.x)), ww_truth<T>(__h##name##u(x.y, y.y))); } \
    WW_BOTH bool __hb##name##2(T2 x, T2 y) { return __h##name(x.x, y.x) && __h##name(x.y, y.y); }                  \
    WW_BOTH bool __hb##name##u2(T2 x, T2 y) { return __h##name##u(x.x, y.x) && __h##name##u(x.y, y.y); }           \
    WW_BOTH unsigned int __h##name##2_mask(T2 x, T2 y) {                                                           \
        return (__h##name(x.x, y.x) ? 0xffffu : 0u) | (__h##name(x.y, y.y) ? 0xffff0000u : 0u);                    \
    }                                                                                                              \
    WW_BOTH unsigned int __h##name##u2_mask(T2 x, T2 y) {                                                          \
        return (__h##name##u(x.x, y.x) ? 0xffffu : 0u) | (__h##name##u(x.y, y.y) ? 0xffff0000u : 0u);              \
    }
#define WW_HALF_COMPARES(T, T2)                                                  \
    WW_HALF_COMPARE(eq, T, T2, a == b, !(a < b || a > b))                        \
    WW_HALF_COMPARE(ne, T, T2, a < b || a > b, a != b)                           \
    WW_HALF_COMPARE(lt, T, T2, a < b, !(a >= b))                                 \
    WW_HALF_COMPARE(le, T, T2, a <= b, !(a > b))                                 \
    WW_HALF_COMPARE(gt, T, T2, a > b, !(a <= b))                                 \
    WW_HALF_COMPARE(ge, T, T2, a >= b, !(a < b))

// Functions that go through single precision, whose result is rounded once more.
#define WW_HALF_VIA_FLOAT(name, function, T, T2, narrow)                                        \
    WW_DEVICE T h##name(T x) { return narrow(function(ww_float(x))); }                          \
    WW_DEVICE T2 h2##name(T2 v) { return T2(h##name(v.x), h##name(v.y)); }
#define WW_HALF_FUNCTIONS(T, T2, narrow)                                                        \
    WW_HALF_VIA_FLOAT(ceil, ceilf, T, T2, narrow)                                               \
    WW_HALF_VIA_FLOAT(floor, floorf, T, T2, narrow)                                             \
    WW_HALF_VIA_FLOAT(trunc, truncf, T, T2, narrow)                                             \
    WW_HALF_VIA_FLOAT(rint, rintf, T, T2, narrow)                                               \
    WW_HALF_VIA_FLOAT(sqrt, sqrtf, T, T2, narrow)                                               \
    WW_HALF_VIA_FLOAT(rsqrt, rsqrtf, T, T2, narrow)                                             \
    WW_HALF_VIA_FLOAT(rcp, __frcp_rn, T, T2, narrow)                                            \
    WW_HALF_VIA_FLOAT(exp, expf, T, T2, narrow)                                                 \
    WW_HALF_VIA_FLOAT(exp2, exp2f, T, T2, narrow)                                               \
    WW_HALF_VIA_FLOAT(exp10, exp10f, T, T2, narrow)                                             \
    WW_HALF_VIA_FLOAT(log, logf, T, T2, narrow)                                                 \
    WW_HALF_VIA_FLOAT(log2, log2f, T, T2, narrow)                                               \
    WW_HALF_VIA_FLOAT(log10, log10f, T, T2, narrow)                                             \
    WW_HALF_VIA_FLOAT(sin, sinf, T, T2, narrow)                                                 \
    WW_HALF_VIA_FLOAT(cos, cosf, T, T2, narrow)                                                 \
    WW_HALF_VIA_FLOAT(tanh, tanhf, T, T2, narrow)

// Warp shuffles and cached loads move the bits as integers.
#define WW_HALF_SHUFFLE(T, T2, name, control)                                                                     \
    WW_DEVICE T name(unsigned int mask, T v, control c, int width = 32) {                                         \
        return ww_from_bits<T>((unsigned short)name(mask, (unsigned int)ww_bits(v), c, width));                   \
    }                                                                                                             \
    WW_DEVICE T2 name(unsigned int mask, T2 v, control c, int width = 32) {                                       \
        return __builtin_bit_cast(T2, name(mask, __builtin_bit_cast(unsigned int, v), c, width));                 \
    }
#define WW_HALF_LOAD(T, T2, name)                                                                                      \
    WW_DEVICE T name(const T* p) { return ww_from_bits<T>(name(reinterpret_cast<const unsigned short*>(p))); }         \
    WW_DEVICE T2 name(const T2* p) { return __builtin_bit_cast(T2, name(reinterpret_cast<const unsigned int*>(p))); }
#define WW_HALF_STORE(T, T2, name)                                                                                     \
    WW_DEVICE void name(T* p, T v) { name(reinterpret_cast<unsigned short*>(p), ww_bits(v)); }                         \
    WW_DEVICE void name(T2* p, T2 v) { name(reinterpret_cast<unsigned int*>(p), __builtin_bit_cast(unsigned int, v)); }
#define WW_HALF_MEMORY(T, T2)                                                                                 \
    WW_HALF_SHUFFLE(T, T2, __shfl_sync, int)                                                                  \
    WW_HALF_SHUFFLE(T, T2, __shfl_up_sync, unsigned int)                                                      \
    WW_HALF_SHUFFLE(T, T2, __shfl_down_sync, unsigned int)                                                    \
    WW_HALF_SHUFFLE(T, T2, __shfl_xor_sync, int)                                                              \
    WW_HALF_LOAD(T, T2, __ldg)                                                                                \
    WW_HALF_LOAD(T, T2, __ldcg)                                                                               \
    WW_HALF_LOAD(T, T2, __ldca)                                                                               \
    WW_HALF_LOAD(T, T2, __ldcs)                                                                               \
    WW_HALF_LOAD(T, T2, __ldlu)                                                                               \
    WW_HALF_LOAD(T, T2, __ldcv)                                                                               \
    WW_HALF_STORE(T, T2, __stwb)                                                                              \
    WW_HALF_STORE(T, T2, __stcg)                                                                              \
    WW_HALF_STORE(T, T2, __stcs)                                                                              \
    WW_HALF_STORE(T, T2, __stwt)

template <class T> static __host__ __device__ WW_INLINE T ww_from_bits(unsigned short bits) {
    T v;
    v.__x = bits;
    return v;
}
template <class T> static __host__ __device__ WW_INLINE unsigned short ww_bits(T v) { return v.__x; }
