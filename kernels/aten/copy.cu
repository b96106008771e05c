// Copies of this type into every other, with steps; and elements chosen by truth values.
#include "pointwise.cuh"

namespace aten {
template <class R, class X> struct Cast {
    static __device__ __forceinline__ Reckoned<R> of(X x) { return static_cast<Reckoned<R>>(x); }
};
template <class X> struct Cast<bool, X> {
    static __device__ __forceinline__ bool of(X x) { return x != X(0); }
};
/// As PyTorch does it: through a whole number of 64 bits, so that negative ones wrap.
template <> struct Cast<u8, float> {
    static __device__ __forceinline__ u8 of(float x) { return static_cast<u8>(static_cast<i64>(x)); }
};
template <> struct Cast<u8, double> {
    static __device__ __forceinline__ u8 of(double x) { return static_cast<u8>(static_cast<i64>(x)); }
};
}  // namespace aten

#define WW_COPY(to, R) WW_POINTWISE_(copy_##to, 1, WW_ELEMENT, R, aten::Traits<WW_ELEMENT>::Scalar, return aten::Cast<R, X>::of(x[0]);)
WW_COPY(f32, float)
WW_COPY(f64, double)
WW_COPY(f16, float16)
WW_COPY(bf16, bfloat16)
WW_COPY(i64, long long)
WW_COPY(i32, int)
WW_COPY(i16, short)
WW_COPY(i8, signed char)
WW_COPY(u8, unsigned char)
WW_COPY(b8, bool)

namespace aten {
struct Where {
    void* to;
    const void *truth, *a, *b;
    i64 n;
    Walk<4> walk;
};
}  // namespace aten
extern "C" __global__ void WW_NAME(where)(aten::Where p) {
    const auto i = aten::element();
    if (i >= p.n) return;
    aten::i64 place[4];
    p.walk.at(static_cast<aten::u64>(i), place);
    const bool truth = static_cast<const unsigned char*>(p.truth)[place[1]] != 0;
    const auto x = truth ? static_cast<const WW_ELEMENT*>(p.a)[place[2]] : static_cast<const WW_ELEMENT*>(p.b)[place[3]];
    static_cast<WW_ELEMENT*>(p.to)[place[0]] = x;
}

namespace aten {
template <class S> struct MaskedFill {
    void* to;
    const void *truth, *from;
    i64 n;
    S value;
    Walk<3> walk;
};
static const int kParts = 16;
/// Tensors that lie in one piece each, put together along a dimension: a row of the result has a row of each, behind the other.
struct Parts {
    void* to;
    unsigned n, row;
    int parts, unused;
    unsigned end[kParts];  // of a part's row within the result's
    const void* from[kParts];
};
/// Matrices of which the elements above or below a diagonal are kept.
struct Triangle {
    void* to;
    const void* from;
    i64 n;
    unsigned rows, columns;
    i64 diagonal;
    int upper, unused;
};
}  // namespace aten
extern "C" __global__ void WW_NAME(triangle)(aten::Triangle p) {
    const auto i = aten::element();
    if (i >= p.n) return;
    const unsigned line = static_cast<unsigned>(i) / p.columns, row = line % p.rows, column = static_cast<unsigned>(i) - line * p.columns;
    const aten::i64 right = static_cast<aten::i64>(column) - row;
    const bool kept = p.upper ? right >= p.diagonal : right <= p.diagonal;
    if (kept) {
        static_cast<WW_ELEMENT*>(p.to)[i] = static_cast<const WW_ELEMENT*>(p.from)[i];
    } else {
        aten::Write<WW_ELEMENT>::to(p.to, i, aten::Reckoned<WW_ELEMENT>(0));
    }
}
extern "C" __global__ void WW_NAME(masked_fill)(aten::MaskedFill<aten::Traits<WW_ELEMENT>::Scalar> p) {
    const auto i = aten::element();
    if (i >= p.n) return;
    aten::i64 place[3];
    p.walk.at(static_cast<aten::u64>(i), place);
    if (static_cast<const unsigned char*>(p.truth)[place[1]] != 0) {
        aten::Write<WW_ELEMENT>::to(p.to, place[0], static_cast<aten::Reckoned<WW_ELEMENT>>(p.value));
    } else {
        static_cast<WW_ELEMENT*>(p.to)[place[0]] = static_cast<const WW_ELEMENT*>(p.from)[place[2]];
    }
}
extern "C" __global__ void WW_NAME(cat)(aten::Parts p) {
    const auto i = static_cast<unsigned>(aten::element());
    if (i >= p.n) return;
    const unsigned row = i / p.row, column = i - row * p.row;
    unsigned begin = 0, end = p.end[0];
    const void* from = p.from[0];
    for (int k = 1; k < p.parts && column >= end; ++k) {
        begin = end, end = p.end[k];
        from = p.from[k];
    }
    static_cast<WW_ELEMENT*>(p.to)[i] = static_cast<const WW_ELEMENT*>(from)[row * (end - begin) + (column - begin)];
}
