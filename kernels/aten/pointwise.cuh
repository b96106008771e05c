// Operators that make one element from the elements at the same place. Each is two kernels (long ones are one): one for tensors whose elements lie one
// behind the other in the same order, one for any steps (also 0, of a tensor that is broadcast).
#pragma once

#include "element.cuh"

namespace aten {

template <int N, class S> struct Flat {
    void* to;
    const void* from[N ? N : 1];
    i64 n;
    S s[4];
};
template <int N, class S> struct Strided {
    Flat<N, S> flat;
    Walk<N + 1> walk;
};

template <class Op, class T, class R, int N, class S>
static __device__ __forceinline__ void apply(const Flat<N, S>& p, const i64 (&place)[N + 1]) {
    Reckoned<T> x[N ? N : 1];
    // A number of the host comes as the last scalar, in the place of a tensor.
    for (int k = 0; k < N; ++k) x[k] = N != 2 || p.from[k] ? read<T>(p.from[k], place[k + 1]) : static_cast<Reckoned<T>>(p.s[3]);
    Write<R>::to(p.to, place[0], Op::of(x, p.s));
}
template <class Op, class T, class R, int N, class S> static __device__ __forceinline__ void flat(const Flat<N, S>& p) {
    const i64 i = element();
    if (i >= p.n) return;
    i64 place[N + 1];
    for (int k = 0; k <= N; ++k) place[k] = i;
    apply<Op, T, R, N>(p, place);
}
template <class Op, class T, class R, int N, class S> static __device__ __forceinline__ void strided(const Strided<N, S>& p) {
    const i64 i = element();
    if (i >= p.flat.n) return;
    i64 place[N + 1];
    p.walk.at(static_cast<u64>(i), place);
    apply<Op, T, R, N>(p.flat, place);
}

}  // namespace aten

/// Operator `name` of N tensors of the type T with a result of the type R: x has the elements, s the scalars.
#define WW_FLAT_(name, N, T, R, S, ...)                                                             \
    namespace aten {                                                                                            \
    struct Op_##name {                                                                                          \
        typedef Reckoned<T> X;                                                                                  \
        static __device__ __forceinline__ Reckoned<R> of(const X* x, const S* s) { __VA_ARGS__ }                 \
    };                                                                                                          \
    }                                                                                                           \
    extern "C" __global__ void WW_JOIN(name, WW_SUFFIX)(aten::Flat<N, S> p) {                                   \
        aten::flat<aten::Op_##name, T, R, N, S>(p);                                                             \
    }
#define WW_POINTWISE_(name, N, T, R, S, ...)                                                               \
    WW_FLAT_(name, N, T, R, S, __VA_ARGS__)                                                                     \
    extern "C" __global__ void WW_JOIN3(name, WW_SUFFIX, strided)(aten::Strided<N, S> p) {                      \
        aten::strided<aten::Op_##name, T, R, N, S>(p);                                                          \
    }
#define WW_POINTWISE(name, N, R, ...) \
    WW_POINTWISE_(name, N, WW_ELEMENT, R, aten::Traits<WW_ELEMENT>::Scalar, __VA_ARGS__)
/// The flat kernel alone, for functions whose code is long: other tensors are copied first.
#define WW_FLAT(N, name, ...) WW_FLAT_(name, N, WW_ELEMENT, WW_ELEMENT, aten::Traits<WW_ELEMENT>::Scalar, __VA_ARGS__)
/// With a result of the same type, or a truth value.
#define WW_UNARY(name, ...) WW_POINTWISE(name, 1, WW_ELEMENT, __VA_ARGS__)
#define WW_BINARY(name, ...) WW_POINTWISE(name, 2, WW_ELEMENT, __VA_ARGS__)
#define WW_TERNARY(name, ...) WW_POINTWISE(name, 3, WW_ELEMENT, __VA_ARGS__)
#define WW_TEST(name, ...) WW_POINTWISE(name, 1, bool, __VA_ARGS__)
#define WW_COMPARE(name, ...) WW_POINTWISE(name, 2, bool, __VA_ARGS__)
