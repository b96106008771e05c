// Functions whose code is long, of floating-point tensors whose elements lie one behind the other. Those of 16 bits go through float.
#include "pointwise.cuh"

WW_FLAT(1, exp2, return exp2(x[0]);)
WW_FLAT(1, expm1, return expm1(x[0]);)
WW_FLAT(1, log2, return log2(x[0]);)
WW_FLAT(1, log10, return log10(x[0]);)
WW_FLAT(1, log1p, return log1p(x[0]);)
WW_FLAT(1, sin, return sin(x[0]);)
WW_FLAT(1, cos, return cos(x[0]);)
WW_FLAT(1, tan, return tan(x[0]);)
WW_FLAT(1, asin, return asin(x[0]);)
WW_FLAT(1, acos, return acos(x[0]);)
WW_FLAT(1, atan, return atan(x[0]);)
WW_FLAT(1, sinh, return sinh(x[0]);)
WW_FLAT(1, cosh, return cosh(x[0]);)
WW_FLAT(1, asinh, return asinh(x[0]);)
WW_FLAT(1, acosh, return acosh(x[0]);)
WW_FLAT(1, atanh, return atanh(x[0]);)
WW_FLAT(1, erf, return erf(x[0]);)
WW_FLAT(1, erfc, return erfc(x[0]);)
WW_FLAT(1, frac, return x[0] - trunc(x[0]);)
WW_FLAT(1, mish, const X a = x[0] > X(20) ? x[0] : log1p(exp(x[0])); return x[0] * tanh(a);)
WW_FLAT(1, softplus, const X b = static_cast<X>(s[0]); return x[0] * b > static_cast<X>(s[1]) ? x[0] : log1p(exp(x[0] * b)) / b;)
WW_FLAT(1, softshrink, const X l = static_cast<X>(s[0]); return x[0] != x[0] ? x[0] : x[0] > l ? x[0] - l : x[0] < -l ? x[0] + l : X(0);)
WW_FLAT(1, hardshrink, const X l = static_cast<X>(s[0]); return x[0] >= -l && x[0] <= l ? X(0) : x[0];)
WW_FLAT(1, elu, return x[0] > X(0) ? x[0] * static_cast<X>(s[1]) : expm1(x[0] * static_cast<X>(s[2])) * static_cast<X>(s[0] * s[1]);)
WW_FLAT(1, hardsigmoid, return fmin(fmax(x[0] + X(3), X(0)), X(6)) / X(6);)
WW_FLAT(1, hardswish, return x[0] * fmin(fmax(x[0] + X(3), X(0)), X(6)) / X(6);)
WW_FLAT(1, log_sigmoid, return fmin(X(0), x[0]) - log1p(exp(-fabs(x[0])));)
WW_FLAT(1, logit, const X e = static_cast<X>(s[0]); const X z = e < X(0) ? x[0] : x[0] < e ? e : x[0] > X(1) - e ? X(1) - e : x[0];
         return log(z / (X(1) - z));)
WW_FLAT(1, nan_to_num, return x[0] != x[0] ? static_cast<X>(s[0]) : x[0] == aten::infinity_of(X()) ? static_cast<X>(s[1])
         : x[0] == -aten::infinity_of(X()) ? static_cast<X>(s[2]) : x[0];)
WW_FLAT(1, pow_scalar, return pow(x[0], static_cast<X>(s[0]));)
WW_FLAT(1, scalar_pow, return pow(static_cast<X>(s[0]), x[0]);)
WW_POINTWISE(signbit, 1, bool, return copysign(X(1), x[0]) < X(0);)

namespace aten {
/// Down to the next whole number, right where the quotient itself is rounded up to one.
template <class X> static __device__ X floor_quotient(X a, X b) {
    if (b == X(0)) return a / b;
    X rest = fmod(a, b), q = (a - rest) / b;
    if (rest != X(0) && (b < X(0)) != (rest < X(0))) q -= X(1);
    if (q == X(0)) return copysign(X(0), a / b);
    const X down = floor(q);
    return q - down > X(0.5) ? down + X(1) : down;
}
template <class X> static __device__ X remainder_of(X a, X b) {
    X rest = fmod(a, b);
    if (rest != X(0) && (b < X(0)) != (rest < X(0))) rest += b;
    return rest;
}
}  // namespace aten
WW_FLAT(2, div_floor, return aten::floor_quotient(x[0], x[1]);)
WW_FLAT(2, remainder, return aten::remainder_of(x[0], x[1]);)
WW_FLAT(2, fmod, return fmod(x[0], x[1]);)
WW_FLAT(2, pow, return pow(x[0], x[1]);)
WW_FLAT(2, atan2, return atan2(x[0], x[1]);)
WW_FLAT(2, hypot, return hypot(x[0], x[1]);)
WW_FLAT(2, copysign, return copysign(x[0], x[1]);)
WW_FLAT(2, fmax, return fmax(x[0], x[1]);)
WW_FLAT(2, fmin, return fmin(x[0], x[1]);)
WW_FLAT(2, xlogy, return x[1] != x[1] ? x[1] : x[0] == X(0) ? X(0) : x[0] * log(x[1]);)
WW_FLAT(2, logaddexp, const X m = fmax(x[0], x[1]);
          return x[0] == x[1] && fabs(m) == aten::infinity_of(X()) ? m : m + log1p(exp(-fabs(x[0] - x[1])));)
WW_FLAT(2, elu_backward, const X a = static_cast<X>(s[0] * s[1]); const X scale = static_cast<X>(s[1]); const X i = static_cast<X>(s[2]);
          return x[1] > X(0) ? x[0] * scale : s[3] != 0 ? x[0] * i * (x[1] + a) : x[0] * i * a * exp(x[1] * i);)
WW_FLAT(2, hardtanh_backward, return x[1] <= static_cast<X>(s[0]) || x[1] >= static_cast<X>(s[1]) ? X(0) : x[0];)
WW_FLAT(2, hardsigmoid_backward, return x[1] > X(-3) && x[1] < X(3) ? x[0] / X(6) : X(0);)
WW_FLAT(2, hardswish_backward, return x[1] <= X(-3) ? X(0) : x[1] < X(3) ? x[0] * (x[1] / X(3) + X(0.5)) : x[0];)
WW_FLAT(2, softplus_backward, const X z = exp(x[1] * static_cast<X>(s[0]));
          return x[1] * static_cast<X>(s[0]) > static_cast<X>(s[1]) ? x[0] : x[0] * z / (z + X(1));)
WW_FLAT(2, softshrink_backward, const X l = static_cast<X>(s[0]); return x[1] >= -l && x[1] <= l ? X(0) : x[0];)
WW_FLAT(2, log_sigmoid_backward, return x[0] / (X(1) + exp(x[1]));)
WW_FLAT(2, mish_backward, const X y = X(1) / (X(1) + exp(-x[1])); const X t = tanh(x[1] > X(20) ? x[1] : log1p(exp(x[1])));
          return x[0] * (t + x[1] * y * (X(1) - t * t));)
WW_FLAT(2, smooth_l1, const X d = fabs(x[0] - x[1]); const X b = static_cast<X>(s[0]); return d < b ? X(0.5) * d * d / b : d - X(0.5) * b;)
WW_FLAT(3, smooth_l1_backward, const X d = x[1] - x[2]; const X b = static_cast<X>(s[1]); const X n = static_cast<X>(s[0]);
           return d <= -b ? -n * x[0] : d >= b ? n * x[0] : n * d * x[0] / b;)
WW_FLAT(2, huber, const X d = fabs(x[0] - x[1]); const X b = static_cast<X>(s[0]); return d <= b ? X(0.5) * d * d : b * (d - X(0.5) * b);)
WW_FLAT(3, huber_backward, const X d = x[1] - x[2]; const X b = static_cast<X>(s[1]); const X n = static_cast<X>(s[0]);
           return d <= -b ? -n * x[0] * b : d >= b ? n * x[0] * b : n * d * x[0];)
WW_FLAT(2, bce, return (x[1] - X(1)) * fmax(log1p(-x[0]), X(-100)) - x[1] * fmax(log(x[0]), X(-100));)
WW_FLAT(3, bce_backward, return static_cast<X>(s[0]) * x[0] * (x[1] - x[2]) / fmax((X(1) - x[1]) * x[1], X(1e-12));)
