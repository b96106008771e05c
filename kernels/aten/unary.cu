// Functions of one tensor. The scalars s are what the operator's other arguments say.
#include "pointwise.cuh"

WW_POINTWISE(fill, 0, WW_ELEMENT, return static_cast<X>(s[0]);)
// arange: by the exact product, as PyTorch reckons it.
namespace aten {
template <class S> struct Range {
    void* to;
    i64 n;
    S start, step;
};
}  // namespace aten
extern "C" __global__ void WW_NAME(arange)(aten::Range<aten::Traits<WW_ELEMENT>::Scalar> p) {
    const auto i = aten::element();
    if (i < p.n) aten::Write<WW_ELEMENT>::to(p.to, i, static_cast<aten::Reckoned<WW_ELEMENT>>(p.start + p.step * i));
}
extern "C" __global__ void WW_NAME(linspace)(aten::Range<aten::Traits<WW_ELEMENT>::Scalar> p, aten::Traits<WW_ELEMENT>::Scalar end) {
    typedef aten::Reckoned<WW_ELEMENT> X;
    const auto i = aten::element();
    const auto x = i < p.n / 2 ? static_cast<X>(p.start) + static_cast<X>(p.step) * static_cast<X>(i)
                               : static_cast<X>(end) - static_cast<X>(p.step) * static_cast<X>(p.n - 1 - i);
    if (i < p.n) aten::Write<WW_ELEMENT>::to(p.to, i, static_cast<X>(x));
}

WW_TEST(logical_not, return x[0] == X(0);)
WW_TEST(truth, return x[0] != X(0);)
#if WW_KIND != WW_BOOL
WW_UNARY(neg, return -x[0];)
WW_UNARY(abs, return x[0] < X(0) || (x[0] == X(0)) ? X(0) - x[0] : x[0];)
WW_UNARY(sign, return static_cast<X>((x[0] > X(0)) - (x[0] < X(0)));)
WW_UNARY(relu, return x[0] <= X(0) ? X(0) : x[0];)
WW_UNARY(clamp, const X low = static_cast<X>(s[0]); const X high = static_cast<X>(s[1]);
         return aten::not_number(x[0]) ? x[0] : (x[0] < low ? low : x[0]) > high ? high : (x[0] < low ? low : x[0]);)
WW_UNARY(threshold, return x[0] <= static_cast<X>(s[0]) ? static_cast<X>(s[1]) : x[0];)
WW_UNARY(square, return x[0] * x[0];)
#endif
#if WW_KIND == WW_INTEGER
WW_UNARY(bitwise_not, return static_cast<X>(~x[0]);)
#endif

#if WW_KIND == WW_FLOATING
WW_TEST(isnan, return x[0] != x[0];)
WW_TEST(isinf, return x[0] == aten::infinity_of(X()) || x[0] == -aten::infinity_of(X());)
WW_UNARY(exp, return exp(x[0]);)
WW_UNARY(log, return log(x[0]);)
WW_UNARY(sqrt, return sqrt(x[0]);)
WW_UNARY(rsqrt, return X(1) / sqrt(x[0]);)
WW_UNARY(reciprocal, return X(1) / x[0];)
WW_UNARY(tanh, return tanh(x[0]);)
WW_UNARY(floor, return floor(x[0]);)
WW_UNARY(ceil, return ceil(x[0]);)
WW_UNARY(trunc, return trunc(x[0]);)
WW_UNARY(round, return rint(x[0]);)
WW_UNARY(sigmoid, return X(1) / (X(1) + exp(-x[0]));)
WW_UNARY(silu, return x[0] / (X(1) + exp(-x[0]));)
WW_UNARY(gelu, return X(0.5) * x[0] * (X(1) + erf(x[0] * X(0.7071067811865476)));)
WW_UNARY(gelu_tanh, const X inner = X(0.7978845608028654) * (x[0] + X(0.044715) * x[0] * x[0] * x[0]);
         return X(0.5) * x[0] * (X(1) + tanh(inner));)
WW_UNARY(leaky_relu, return x[0] > X(0) ? x[0] : x[0] * static_cast<X>(s[0]);)
#endif
