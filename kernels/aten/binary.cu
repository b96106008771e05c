// Functions of two and three tensors of one type.
#include "pointwise.cuh"

WW_COMPARE(eq, return x[0] == x[1];)
WW_COMPARE(ne, return x[0] != x[1];)
WW_COMPARE(lt, return x[0] < x[1];)
WW_COMPARE(le, return x[0] <= x[1];)
WW_COMPARE(gt, return x[0] > x[1];)
WW_COMPARE(ge, return x[0] >= x[1];)
WW_COMPARE(logical_and, return x[0] != X(0) && x[1] != X(0);)
WW_COMPARE(logical_or, return x[0] != X(0) || x[1] != X(0);)
WW_COMPARE(logical_xor, return (x[0] != X(0)) != (x[1] != X(0));)
WW_BINARY(maximum, return aten::not_number(x[0]) ? x[0] : aten::not_number(x[1]) ? x[1] : x[0] > x[1] ? x[0] : x[1];)
WW_BINARY(minimum, return aten::not_number(x[0]) ? x[0] : aten::not_number(x[1]) ? x[1] : x[0] < x[1] ? x[0] : x[1];)

#if WW_KIND == WW_BOOL
WW_BINARY(add, return x[0] || (x[1] && s[0]);)
WW_BINARY(mul, return x[0] && x[1];)
#else
WW_BINARY(add, return x[0] + static_cast<X>(s[0]) * x[1];)
WW_BINARY(sub, return x[0] - static_cast<X>(s[0]) * x[1];)
WW_BINARY(rsub, return x[1] - static_cast<X>(s[0]) * x[0];)
WW_BINARY(mul, return x[0] * x[1];)
WW_TERNARY(addcmul, return x[0] + static_cast<X>(s[0]) * (x[1] * x[2]);)
#endif

#if WW_KIND == WW_FLOATING
WW_BINARY(div, return x[0] / x[1];)
WW_BINARY(div_trunc, return trunc(x[0] / x[1]);)
WW_BINARY(lerp_scalar, const X w = static_cast<X>(s[0]);
          return fabs(w) < X(0.5) ? x[0] + w * (x[1] - x[0]) : x[1] - (x[1] - x[0]) * (X(1) - w);)
WW_TERNARY(lerp, return fabs(x[2]) < X(0.5) ? x[0] + x[2] * (x[1] - x[0]) : x[1] - (x[1] - x[0]) * (X(1) - x[2]);)
WW_TERNARY(addcdiv, return x[0] + static_cast<X>(s[0]) * (x[1] / x[2]);)
// What the backward formulas of PyTorch ask for; the first tensor is the gradient unless said.
WW_BINARY(sigmoid_backward, return x[0] * (X(1) - x[1]) * x[1];)
WW_BINARY(tanh_backward, return x[0] * (X(1) - x[1] * x[1]);)
WW_BINARY(threshold_backward, return x[1] <= static_cast<X>(s[0]) ? X(0) : x[0];)
WW_BINARY(silu_backward, const X y = X(1) / (X(1) + exp(-x[1])); return x[0] * y * (X(1) + x[1] * (X(1) - y));)
WW_BINARY(gelu_backward, const X c = X(0.5) * (X(1) + erf(x[1] * X(0.7071067811865476)));
          return x[0] * (c + x[1] * exp(X(-0.5) * x[1] * x[1]) * X(0.3989422804014327));)
WW_BINARY(gelu_tanh_backward, const X inner = X(0.7978845608028654) * (x[1] + X(0.044715) * x[1] * x[1] * x[1]); const X t = tanh(inner);
          return x[0] * (X(0.5) * (X(1) + t) + X(0.5) * x[1] * (X(1) - t * t) * X(0.7978845608028654) * (X(1) + X(0.134145) * x[1] * x[1]));)
WW_BINARY(leaky_relu_backward, return x[1] > X(0) ? x[0] : x[0] * static_cast<X>(s[0]);)
WW_BINARY(mse, const X d = x[0] - x[1]; return d * d;)
WW_TERNARY(mse_backward, return static_cast<X>(s[0]) * (x[1] - x[2]) * x[0];)
#endif

#if WW_KIND == WW_INTEGER
namespace aten {
template <class X> static __device__ X floor_quotient(X a, X b) {
    if (b == X(0)) return static_cast<X>(-1);
    const X q = a / b;
    return static_cast<X>(q - ((a % b != X(0)) && ((a < X(0)) != (b < X(0)))));
}
template <class X> static __device__ X power(X a, X b) {
    if (b < X(0)) return a == X(1) ? X(1) : a == static_cast<X>(-1) ? (b % 2 == 0 ? X(1) : static_cast<X>(-1)) : X(0);
    X out = 1;
    for (; b; b = static_cast<X>(b >> 1), a = static_cast<X>(a * a))
        if (b & 1) out = static_cast<X>(out * a);
    return out;
}
}  // namespace aten
WW_BINARY(div_trunc, return x[1] == X(0) ? static_cast<X>(-1) : static_cast<X>(x[0] / x[1]);)
WW_BINARY(div_floor, return aten::floor_quotient(x[0], x[1]);)
WW_BINARY(fmod, return x[1] == X(0) ? x[0] : static_cast<X>(x[0] % x[1]);)
WW_BINARY(remainder, return x[1] == X(0) ? x[0] : static_cast<X>(x[0] - aten::floor_quotient(x[0], x[1]) * x[1]);)
WW_BINARY(pow, return aten::power(x[0], x[1]);)
WW_BINARY(shift_left, return x[1] < X(0) || x[1] >= X(8 * sizeof(X)) ? X(0) : static_cast<X>(x[0] << x[1]);)
WW_BINARY(shift_right, return static_cast<X>(x[0] >> (x[1] < X(0) || x[1] >= X(8 * sizeof(X)) ? X(8 * sizeof(X) - 1) : x[1]));)
#endif
#if WW_KIND != WW_FLOATING
WW_BINARY(bitwise_and, return x[0] & x[1];)
WW_BINARY(bitwise_or, return x[0] | x[1];)
WW_BINARY(bitwise_xor, return x[0] ^ x[1];)
#endif
