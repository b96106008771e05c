// Random numbers by Philox, in the order in which PyTorch's kernels draw them: thread `t` of the grid is stream `t`, and a block of 256
// threads takes 1,024 elements in a turn, four (two of 64 bits) for each thread, a grid apart.
#include "../rand/generators.cuh"
#include "element.cuh"

namespace aten {

struct Random {
    void* to;
    i64 n;
    u64 seed, offset;  // the offset counts single numbers: 4 are a quad
    double s[2];
    i64 k[2];
};
struct Dropout {
    void* to;
    u8* mask;
    const void* from;
    i64 n;
    u64 seed, offset;
    double keep;
    int wide, unused;  // how many elements of a thread lie side by side
};

typedef Reckoned<WW_ELEMENT> X;

/// Calls use(i, quad, j) for each element that this thread makes: j is its place in the quad.
template <int kOf, class Use> static __device__ void draw(i64 n, u64 seed, u64 offset, Use use) {
    const i64 thread = element(), all = static_cast<i64>(gridDim.x) * blockDim.x;
    const i64 turns = (n - 1) / (all * kOf) + 1;
    u64 counter = offset / 4;
    for (i64 turn = 0; turn < turns; ++turn) {
        const ww_rand::Quad quad = ww_rand::philox(counter++, static_cast<u64>(thread), seed);
        for (int j = 0; j < kOf; ++j) {
            const i64 i = thread + turn * all * kOf + j * all;
            if (i < n) use(i, quad, j);
        }
    }
}
#if WW_KIND == WW_FLOATING
template <class Y> struct Drawn;
template <> struct Drawn<float> {
    static const int kOf = 4;
    static __device__ float uniform(const ww_rand::Quad& q, int j) { return ww_rand::uniform_of(q.x[j]); }
    static __device__ float normal(const ww_rand::Quad& q, int j) {
        float a, b;
        ww_rand::normals_of(uniform(q, j & 2), uniform(q, (j & 2) + 1), a, b);
        return j & 1 ? b : a;
    }
};
template <> struct Drawn<double> {
    static const int kOf = 2;
    static __device__ double uniform(const ww_rand::Quad& q, int j) { return ww_rand::uniform_of(q.x[2 * j], q.x[2 * j + 1]); }
    static __device__ double normal(const ww_rand::Quad& q, int j) {
        double a, b;
        ww_rand::normals_of(uniform(q, 0), uniform(q, 1), a, b);
        return j & 1 ? b : a;
    }
};
#endif

}  // namespace aten
using namespace aten;

#if WW_KIND == WW_FLOATING
/// From s[0] up to s[1], which is left out: where a number would be it, it is s[0].
extern "C" __global__ void WW_NAME(uniform)(Random p) {
    const X low = static_cast<X>(p.s[0]), high = static_cast<X>(p.s[1]);
    draw<Drawn<X>::kOf>(p.n, p.seed, p.offset, [&](i64 i, const ww_rand::Quad& q, int j) {
        WW_ELEMENT stored;
        Write<WW_ELEMENT>::to(&stored, 0, Drawn<X>::uniform(q, j) * (high - low) + low);
        const X x = read<WW_ELEMENT>(&stored, 0);
        Write<WW_ELEMENT>::to(p.to, i, x == high ? low : x);
    });
}
extern "C" __global__ void WW_NAME(normal)(Random p) {
    const X mean = static_cast<X>(p.s[0]), deviation = static_cast<X>(p.s[1]);
    draw<Drawn<X>::kOf>(p.n, p.seed, p.offset, [&](i64 i, const ww_rand::Quad& q, int j) {
        Write<WW_ELEMENT>::to(p.to, i, Drawn<X>::normal(q, j) * deviation + mean);
    });
}
extern "C" __global__ void WW_NAME(exponential)(Random p) {
    draw<Drawn<X>::kOf>(p.n, p.seed, p.offset, [&](i64 i, const ww_rand::Quad& q, int j) {
        const X u = Drawn<X>::uniform(q, j), tiny = sizeof(X) == 8 ? X(2.220446049250313e-16) : X(1.1920929e-07f);
        const X l = u >= X(1) - tiny / 2 ? -tiny / 2 : log(u);
        Write<WW_ELEMENT>::to(p.to, i, X(-1) / static_cast<X>(p.s[0]) * l);
    });
}
extern "C" __global__ void WW_NAME(dropout)(Dropout p) {
    const float scale = p.keep == 0 ? 0.0f : 1.0f / static_cast<float>(p.keep);
    const auto one = [&](i64 i, unsigned bits) {
        const bool kept = ww_rand::uniform_of(bits) < static_cast<float>(p.keep);
        Write<WW_ELEMENT>::to(p.to, i, kept ? static_cast<X>(read<WW_ELEMENT>(p.from, i) * static_cast<X>(scale)) : X(0));
        p.mask[i] = kept;
    };
    if (p.wide == 1) {
        draw<4>(p.n, p.seed, p.offset, [&](i64 i, const ww_rand::Quad& q, int j) { one(i, q.x[j]); });
        return;
    }
    const i64 thread = element(), all = static_cast<i64>(gridDim.x) * blockDim.x;
    u64 counter = p.offset / 4;
    for (i64 first = thread * p.wide; first < p.n; first += all * p.wide) {
        for (int part = 0; part < p.wide; part += 4) {
            const ww_rand::Quad q = ww_rand::philox(counter++, static_cast<u64>(thread), p.seed);
            for (int j = 0; j < 4 && part + j < p.wide; ++j) one(first + part + j, q.x[j]);
        }
    }
}
/// Each with its own probability, of `from`: four that lie side by side are one stream's.
extern "C" __global__ void WW_NAME(bernoulli_each)(Dropout p) {
    const i64 first = element() * 4;
    if (first >= p.n) return;
    const ww_rand::Quad q = ww_rand::philox(p.offset / 4, static_cast<u64>(element()), p.seed);
    for (int j = 0; j < 4 && first + j < p.n; ++j)
        Write<WW_ELEMENT>::to(p.to, first + j, ww_rand::uniform_of(q.x[j]) <= static_cast<const float*>(p.from)[first + j] ? X(1) : X(0));
}
#endif

/// 1 with the probability s[0].
extern "C" __global__ void WW_NAME(bernoulli)(Random p) {
    draw<4>(p.n, p.seed, p.offset, [&](i64 i, const ww_rand::Quad& q, int j) {
        Write<WW_ELEMENT>::to(p.to, i, ww_rand::uniform_of(q.x[j]) <= static_cast<float>(p.s[0]) ? X(1) : X(0));
    });
}
/// Whole numbers: k[1] of them from k[0] on. Ranges from 2^28 on take 64 bits, unless s[0] says that 32 do.
extern "C" __global__ void WW_NAME(random)(Random p) {
    const u64 range = static_cast<u64>(p.k[1]);
    if (p.s[0] != 0 || (range != 0 && range < (u64(1) << 28))) {
        draw<4>(p.n, p.seed, p.offset, [&](i64 i, const ww_rand::Quad& q, int j) {
            Write<WW_ELEMENT>::to(p.to, i, static_cast<X>(static_cast<i64>(q.x[j] % range) + p.k[0]));
        });
    } else {
        draw<2>(p.n, p.seed, p.offset, [&](i64 i, const ww_rand::Quad& q, int j) {
            const u64 bits = static_cast<u64>(q.x[2 * j]) << 32 | q.x[2 * j + 1];
            Write<WW_ELEMENT>::to(p.to, i, static_cast<X>(static_cast<i64>((range ? bits % range : bits) + static_cast<u64>(p.k[0]))));
        });
    }
}
