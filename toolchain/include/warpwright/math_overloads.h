// The C++ overloads: float versions under the plain names, integer arguments promoted to double, min, max and abs for all
// arithmetic types, and the same names in namespace std.
#pragma once

template <bool Condition, class ww_T> struct ww_enable_if {};
template <class ww_T> struct ww_enable_if<true, ww_T> { typedef ww_T type; };

#define WW_OVERLOAD1(name)                                                                                       \
    WW_DEVICE float name(float x) { return name##f(x); }                                                         \
    template <class ww_T> WW_DEVICE typename ww_enable_if<__is_integral(ww_T), double>::type name(ww_T x) {               \
        return name(static_cast<double>(x));                                                                     \
    }
#define WW_OVERLOAD2(name)                                                                                       \
    WW_DEVICE float name(float x, float y) { return name##f(x, y); }                                             \
    template <class ww_T, class U>                                                                                  \
    WW_DEVICE typename ww_enable_if<__is_arithmetic(ww_T) && __is_arithmetic(U) &&                                  \
                                        !(__is_same(ww_T, float) && __is_same(U, float)), double>::type             \
    name(ww_T x, U y) {                                                                                             \
        return name(static_cast<double>(x), static_cast<double>(y));                                             \
    }
#define WW_FUNCTIONS1(X)                                                                                              \
    X(acos) X(acosh) X(asin) X(asinh) X(atan) X(atanh) X(cbrt) X(ceil) X(cos) X(cosh) X(erf) X(erfc) X(exp) X(exp2)   \
    X(expm1) X(fabs) X(floor) X(lgamma) X(log) X(log10) X(log1p) X(log2) X(nearbyint) X(rint) X(round) X(sin) X(sinh) \
    X(sqrt) X(tan) X(tanh) X(tgamma) X(trunc)
#define WW_FUNCTIONS2(X) \
    X(atan2) X(copysign) X(fdim) X(fmax) X(fmin) X(fmod) X(hypot) X(nextafter) X(pow) X(remainder)
// CUDA's own, which namespace std has not.
#define WW_FUNCTIONS1_CUDA(X)                                                                                   \
    X(cospi) X(exp10) X(rcbrt) X(rsqrt) X(sinpi) X(erfinv) X(erfcinv) X(erfcx) X(normcdf) X(normcdfinv) X(j0)       \
    X(j1) X(y0) X(y1) X(cyl_bessel_i0) X(cyl_bessel_i1)

WW_FUNCTIONS1(WW_OVERLOAD1)
WW_FUNCTIONS1_CUDA(WW_OVERLOAD1)
WW_FUNCTIONS2(WW_OVERLOAD2)
WW_DEVICE float fma(float a, float b, float c) { return fmaf(a, b, c); }
WW_DEVICE void sincos(float x, float* s, float* c) { sincosf(x, s, c); }
WW_DEVICE void sincospi(float x, float* s, float* c) { sincospif(x, s, c); }
WW_DEVICE float jn(int n, float x) { return jnf(n, x); }
WW_DEVICE float yn(int n, float x) { return ynf(n, x); }
WW_DEVICE float scalbln(float x, long n) { return scalblnf(x, n); }
#undef WW_OVERLOAD1
#undef WW_OVERLOAD2

// min and max for every pair of arithmetic types CUDA gives: the common type decides; floats as fmin and fmax do.
#define WW_MIN_MAX(type)                                          \
    WW_BOTH type min(type a, type b) { return b < a ? b : a; }    \
    WW_BOTH type max(type a, type b) { return a < b ? b : a; }
#define WW_MIN_MAX_MIXED(type, a_type, b_type)                                                        \
    WW_BOTH type min(a_type a, b_type b) { return min(static_cast<type>(a), static_cast<type>(b)); }  \
    WW_BOTH type max(a_type a, b_type b) { return max(static_cast<type>(a), static_cast<type>(b)); }
WW_MIN_MAX(int)
WW_MIN_MAX(unsigned int)
WW_MIN_MAX(long)
WW_MIN_MAX(unsigned long)
WW_MIN_MAX(long long)
WW_MIN_MAX(unsigned long long)
WW_MIN_MAX_MIXED(unsigned int, int, unsigned int)
WW_MIN_MAX_MIXED(unsigned int, unsigned int, int)
WW_MIN_MAX_MIXED(unsigned long, long, unsigned long)
WW_MIN_MAX_MIXED(unsigned long, unsigned long, long)
WW_MIN_MAX_MIXED(unsigned long long, long long, unsigned long long)
WW_MIN_MAX_MIXED(unsigned long long, unsigned long long, long long)
WW_BOTH float min(float a, float b) { return __builtin_fminf(a, b); }
WW_BOTH float max(float a, float b) { return __builtin_fmaxf(a, b); }
WW_BOTH double min(double a, double b) { return __builtin_fmin(a, b); }
WW_BOTH double max(double a, double b) { return __builtin_fmax(a, b); }
WW_MIN_MAX_MIXED(double, float, double)
WW_MIN_MAX_MIXED(double, double, float)
#undef WW_MIN_MAX
#undef WW_MIN_MAX_MIXED

WW_DEVICE int abs(int x) noexcept { return x < 0 ? -x : x; }
WW_DEVICE long labs(long x) noexcept { return x < 0 ? -x : x; }
WW_DEVICE long long llabs(long long x) noexcept { return x < 0 ? -x : x; }
WW_DEVICE long abs(long x) { return labs(x); }
WW_DEVICE long long abs(long long x) { return llabs(x); }
WW_DEVICE float abs(float x) { return __builtin_fabsf(x); }
WW_DEVICE double abs(double x) { return __builtin_fabs(x); }
WW_DEVICE unsigned int umin(unsigned int a, unsigned int b) { return b < a ? b : a; }
WW_DEVICE unsigned int umax(unsigned int a, unsigned int b) { return a < b ? b : a; }
WW_DEVICE long long llmin(long long a, long long b) { return b < a ? b : a; }
WW_DEVICE long long llmax(long long a, long long b) { return a < b ? b : a; }
WW_DEVICE unsigned long long ullmin(unsigned long long a, unsigned long long b) { return b < a ? b : a; }
WW_DEVICE unsigned long long ullmax(unsigned long long a, unsigned long long b) { return a < b ? b : a; }

namespace std {
#define WW_USING(name) using ::name;
WW_FUNCTIONS1(WW_USING)
WW_FUNCTIONS2(WW_USING)
WW_USING(fma) WW_USING(abs) WW_USING(isnan) WW_USING(isinf) WW_USING(isfinite) WW_USING(signbit) WW_USING(ldexp)
WW_USING(frexp) WW_USING(modf) WW_USING(ilogb) WW_USING(logb) WW_USING(scalbn) WW_USING(lrint) WW_USING(llrint)
WW_USING(lround) WW_USING(llround) WW_USING(remquo)
// What code writes with <cmath> in single precision.
WW_USING(sqrtf) WW_USING(fabsf) WW_USING(fmaf) WW_USING(fminf) WW_USING(fmaxf)
#undef WW_USING
}
