// Host declarations of the C math functions that nvcc's own headers bring in, so that host code in a kernel's file
// parses without <math.h>. They agree with the C library's.
#pragma once

extern "C" {
#define WW_HOST1(name) double name(double) noexcept; float name##f(float) noexcept;
#define WW_HOST2(name) double name(double, double) noexcept; float name##f(float, float) noexcept;
WW_HOST1(acos) WW_HOST1(asin) WW_HOST1(atan) WW_HOST1(cbrt) WW_HOST1(ceil) WW_HOST1(cos) WW_HOST1(cosh) WW_HOST1(erf)
WW_HOST1(erfc) WW_HOST1(exp) WW_HOST1(exp2) WW_HOST1(expm1) WW_HOST1(fabs) WW_HOST1(floor) WW_HOST1(log) WW_HOST1(log10)
WW_HOST1(log1p) WW_HOST1(log2) WW_HOST1(rint) WW_HOST1(round) WW_HOST1(sin) WW_HOST1(sinh) WW_HOST1(sqrt) WW_HOST1(tan)
WW_HOST1(tanh) WW_HOST1(trunc)
WW_HOST2(atan2) WW_HOST2(fmax) WW_HOST2(fmin) WW_HOST2(fmod) WW_HOST2(hypot) WW_HOST2(pow) WW_HOST2(copysign)
double fma(double, double, double) noexcept;
float fmaf(float, float, float) noexcept;
int abs(int) noexcept;
#undef WW_HOST1
#undef WW_HOST2
}
