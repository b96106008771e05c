// Running sums and products along a dimension, and rows in order.
#include "element.cuh"

namespace aten {

typedef Traits<WW_ELEMENT>::Sum Total;

/// A block has a row of `size` elements, `inner` apart, and goes along it by 256.
struct Scan {
    void* to;
    const void* from;
    i64 size, inner;
};
template <bool kProduct> static __device__ void scan(const Scan& p) {
    __shared__ Total shared[256];
    const i64 first = blockIdx.x / p.inner * (p.size * p.inner) + blockIdx.x % p.inner;
    const int t = threadIdx.x;
    Total before = kProduct ? 1 : 0;
    for (i64 base = 0; base < p.size; base += 256) {
        const i64 k = base + t;
        shared[t] = k < p.size ? static_cast<Total>(read<WW_ELEMENT>(p.from, first + k * p.inner)) : Total(kProduct ? 1 : 0);
        __syncthreads();
        for (int step = 1; step < 256; step *= 2) {
            const Total left = t >= step ? shared[t - step] : Total(kProduct ? 1 : 0);
            __syncthreads();
            shared[t] = kProduct ? shared[t] * left : shared[t] + left;
            __syncthreads();
        }
        if (k < p.size) Write<WW_ELEMENT>::to(p.to, first + k * p.inner, kProduct ? before * shared[t] : before + shared[t]);
        before = kProduct ? before * shared[255] : before + shared[255];
        __syncthreads();
    }
}

static const int kSorted = 1024;
/// A block sorts a row of at most 1,024 elements (bitonic; equal elements keep their order, by their index). What is no number comes
/// last, or first where the order is descending.
struct Sort {
    void* to;
    i64* index;
    const void* from;
    int size, descending;
};
typedef Reckoned<WW_ELEMENT> X;
static __device__ bool before(X a, int i, X b, int k, bool descending) {
    const bool na = not_number(a), nb = not_number(b);
    if (na || nb) return na && nb ? i < k : descending ? na : nb;
    if (a == b) return i < k;
    return descending ? a > b : a < b;
}

/// One step of sorting rows of `width` elements (a power of two), of which the first `size` count; their indices are there already.
struct Step {
    void* value;
    i64* index;
    i64 pairs, width, size, run, gap;
    int descending, unused;
};

}  // namespace aten

/// Writes where the bytes of a mask are 1, by its running sum: its size stands as the scan's, the sums as its last member.
extern "C" __global__ void WW_NAME(compact)(aten::Scan p) {
    const aten::i64 i = aten::element();
    const auto* sums = reinterpret_cast<const aten::i64*>(p.inner);
    if (i < p.size && static_cast<const aten::u8*>(p.from)[i]) static_cast<aten::i64*>(p.to)[sums[i] - 1] = i;
}
extern "C" __global__ void WW_NAME(sort_step)(aten::Step p) {
    using namespace aten;
    const i64 pair = element();
    if (pair >= p.pairs) return;
    const i64 half = p.width / 2, row = pair / half, k = pair % half;
    const i64 in = k / p.gap * p.gap * 2 + k % p.gap, a = row * p.width + in, b = a + p.gap;
    auto* value = static_cast<WW_ELEMENT*>(p.value);
    const X x = read<WW_ELEMENT>(value, a), y = read<WW_ELEMENT>(value, b);
    const i64 i = p.index[a], j = p.index[b];
    const bool wrong = i >= p.size || j >= p.size ? j < i : before(y, static_cast<int>(j), x, static_cast<int>(i), p.descending != 0);
    if (wrong != ((in & p.run) == 0)) return;
    const WW_ELEMENT first = value[a];
    value[a] = value[b], value[b] = first;
    p.index[a] = j, p.index[b] = i;
}

extern "C" __global__ void WW_NAME(cumsum)(aten::Scan p) { aten::scan<false>(p); }
extern "C" __global__ void WW_NAME(cumprod)(aten::Scan p) { aten::scan<true>(p); }

extern "C" __global__ void WW_NAME(sort)(aten::Sort p) {
    using namespace aten;
    __shared__ X value[kSorted];
    __shared__ int place[kSorted];
    const i64 first = static_cast<i64>(blockIdx.x) * p.size;
    int width = 1;
    while (width < p.size) width *= 2;
    for (int k = threadIdx.x; k < width; k += blockDim.x) {
        value[k] = k < p.size ? read<WW_ELEMENT>(p.from, first + k) : X(0);
        place[k] = k;  // from p.size on: behind all others
    }
    __syncthreads();
    for (int run = 2; run <= width; run *= 2) {
        for (int gap = run / 2; gap > 0; gap /= 2) {
            for (int k = threadIdx.x; k < width / 2; k += blockDim.x) {
                const int a = k / gap * gap * 2 + k % gap, b = a + gap;
                const bool up = (a & run) == 0;
                const bool a_out = place[a] >= p.size, b_out = place[b] >= p.size;
                const bool wrong = a_out || b_out ? (a_out && !b_out) || (a_out && b_out && place[b] < place[a])
                                                  : before(value[b], place[b], value[a], place[a], p.descending != 0);
                if (wrong == up) {
                    const X v = value[a];
                    const int i = place[a];
                    value[a] = value[b], place[a] = place[b];
                    value[b] = v, place[b] = i;
                }
            }
            __syncthreads();
        }
    }
    for (int k = threadIdx.x; k < p.size; k += blockDim.x) {
        Write<WW_ELEMENT>::to(p.to, first + k, value[k]);
        p.index[first + k] = place[k];
    }
}
