// Reductions over some dimensions of a tensor. Where an output has many elements, a block reduces them, else one thread does: then
// threads that lie side by side make outputs that lie side by side.
#include "element.cuh"

namespace aten {

struct Reduction {
    void *to, *second;  // the second output: an index, a mean
    const void* from;
    i64 kept, reduced;
    double s[2];
    Walk<1> outer, inner;  // from an output to its first element, and from there to each
};

static const int kBlock = 256;

/// The state of a reduction goes from thread to thread as it is.
template <class Op> static __device__ void all_of_block(Op& mine) {
    __shared__ Op shared[kBlock];
    const int t = threadIdx.x;
    shared[t] = mine;
    __syncthreads();
    for (int half = kBlock / 2; half > 0; half /= 2) {
        if (t < half) shared[t].merge(shared[t + half]);
        __syncthreads();
    }
    mine = shared[0];
}
template <class Op> static __device__ void by_block(const Reduction& p) {
    const i64 out = blockIdx.x;
    i64 first[1], place[1];
    p.outer.at(static_cast<u64>(out), first);
    Op op(p);
    for (i64 k = threadIdx.x; k < p.reduced; k += kBlock) {
        p.inner.at(static_cast<u64>(k), place);
        op.take(read<WW_ELEMENT>(p.from, first[0] + place[0]), k);
    }
    all_of_block(op);
    if (threadIdx.x == 0) op.give(p, out);
}
template <class Op> static __device__ void by_thread(const Reduction& p) {
    const i64 out = element();
    if (out >= p.kept) return;
    i64 first[1], place[1];
    p.outer.at(static_cast<u64>(out), first);
    Op op(p);
    for (i64 k = 0; k < p.reduced; ++k) {
        p.inner.at(static_cast<u64>(k), place);
        op.take(read<WW_ELEMENT>(p.from, first[0] + place[0]), k);
    }
    op.give(p, out);
}

typedef Reckoned<WW_ELEMENT> X;
typedef Traits<WW_ELEMENT>::Sum Sum_t;
#if WW_KIND == WW_FLOATING
typedef WW_ELEMENT SumOut;
#else
typedef i64 SumOut;
#endif

struct Sum {
    Sum_t sum;
    Sum() = default;
    __device__ explicit Sum(const Reduction&) : sum(0) {}
    __device__ void take(X x, i64) { sum += x; }
    __device__ void merge(const Sum& o) { sum += o.sum; }
    __device__ void give(const Reduction& p, i64 i) const { Write<SumOut>::to(p.to, i, static_cast<Sum_t>(sum * static_cast<Sum_t>(p.s[0]))); }
};
struct Prod {
    Sum_t product;
    Prod() = default;
    __device__ explicit Prod(const Reduction&) : product(1) {}
    __device__ void take(X x, i64) { product *= x; }
    __device__ void merge(const Prod& o) { product *= o.product; }
    __device__ void give(const Reduction& p, i64 i) const { Write<SumOut>::to(p.to, i, product); }
};
/// The greatest (kSign 1) or least element, and where the first of its kind stands. What is no number wins.
template <int kSign> struct Extreme {
    X value;
    i64 where;
    Extreme() = default;
    __device__ explicit Extreme(const Reduction&) : value(0), where(-1) {}
    __device__ bool better(X x, i64 k) const {
        if (where < 0) return true;
        if (not_number(x) || not_number(value)) return not_number(x) && (!not_number(value) || k < where);
        return x == value ? k < where : kSign > 0 ? x > value : x < value;
    }
    __device__ void take(X x, i64 k) {
        if (better(x, k)) value = x, where = k;
    }
    __device__ void merge(const Extreme& o) {
        if (o.where >= 0) take(o.value, o.where);
    }
    __device__ void give(const Reduction& p, i64 i) const {
        if (p.to) Write<WW_ELEMENT>::to(p.to, i, value);
        if (p.second) Write<i64>::to(p.second, i, where);
    }
};
typedef Extreme<1> Max;
typedef Extreme<-1> Min;
struct Any {
    int found;
    Any() = default;
    __device__ explicit Any(const Reduction&) : found(0) {}
    __device__ void take(X x, i64) { found |= x != X(0); }
    __device__ void merge(const Any& o) { found |= o.found; }
    __device__ void give(const Reduction& p, i64 i) const { Write<bool>::to(p.to, i, found != 0); }
};
struct All {
    int good;
    All() = default;
    __device__ explicit All(const Reduction&) : good(1) {}
    __device__ void take(X x, i64) { good &= x != X(0); }
    __device__ void merge(const All& o) { good &= o.good; }
    __device__ void give(const Reduction& p, i64 i) const { Write<bool>::to(p.to, i, good != 0); }
};
#if WW_KIND == WW_FLOATING
/// The p-norm, p = s[0]; 0 counts, infinity and its negative are the greatest and the least magnitude.
struct Norm {
    X sum;
    double p;
    Norm() = default;
    __device__ explicit Norm(const Reduction& r) : sum(0), p(r.s[0]) {
        if (p == -infinity_of(1.0)) sum = infinity_of(X());
    }
    __device__ void take(X x, i64) {
        const X a = fabs(x);
        merge_in(p == 2 ? a * a : p == 1 || p == infinity_of(1.0) || p == -infinity_of(1.0) ? a : p == 0 ? X(x != X(0)) : pow(a, static_cast<X>(p)));
    }
    __device__ void merge(const Norm& o) { merge_in(o.sum); }
    __device__ void give(const Reduction& r, i64 i) const {
        Write<WW_ELEMENT>::to(r.to, i, p == 2 ? sqrt(sum) : p == 0 || p == 1 || p == infinity_of(1.0) || p == -infinity_of(1.0) ? sum : pow(sum, static_cast<X>(1 / p)));
    }

private:
    __device__ void merge_in(X a) {
        if (p == infinity_of(1.0))
            sum = not_number(sum) ? sum : sum >= a ? sum : a;
        else if (p == -infinity_of(1.0))
            sum = not_number(sum) ? sum : sum <= a ? sum : a;
        else
            sum += a;
    }
};
/// Variance and mean in one pass (Welford; Chan and others for parts). s[0] is the correction, s[1] asks for the root.
struct Var {
    X mean, squares;
    i64 n;
    Var() = default;
    __device__ explicit Var(const Reduction&) : mean(0), squares(0), n(0) {}
    __device__ void take(X x, i64) {
        const X d = x - mean;
        mean += d / static_cast<X>(++n);
        squares += d * (x - mean);
    }
    __device__ void merge(const Var& o) {
        if (o.n == 0) return;
        const X d = o.mean - mean;
        const i64 all = n + o.n;
        squares += o.squares + d * d * (static_cast<X>(n) * static_cast<X>(o.n) / static_cast<X>(all));
        mean += d * (static_cast<X>(o.n) / static_cast<X>(all));
        n = all;
    }
    __device__ void give(const Reduction& p, i64 i) const {
        const X over = static_cast<X>(n) - static_cast<X>(p.s[0]);
        const X var = squares / (over > X(0) ? over : X(0));
        Write<WW_ELEMENT>::to(p.to, i, p.s[1] != 0 ? sqrt(var) : var);
        if (p.second) Write<WW_ELEMENT>::to(p.second, i, mean);
    }
};
#endif
}  // namespace aten

#define WW_REDUCTION(name, Op)                                                                                       \
    extern "C" __global__ void WW_JOIN3(name, WW_SUFFIX, block)(aten::Reduction p) { aten::by_block<aten::Op>(p); }  \
    extern "C" __global__ void WW_JOIN3(name, WW_SUFFIX, thread)(aten::Reduction p) { aten::by_thread<aten::Op>(p); }
WW_REDUCTION(sum, Sum)
WW_REDUCTION(prod, Prod)
WW_REDUCTION(max, Max)
WW_REDUCTION(min, Min)
WW_REDUCTION(any, Any)
WW_REDUCTION(all, All)
#if WW_KIND == WW_FLOATING
WW_REDUCTION(norm, Norm)
WW_REDUCTION(var, Var)
#endif
