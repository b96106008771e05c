// Elements by index: advanced indexing, gather and scatter, embeddings. An index below 0 counts from the end; one outside fails
// an assertion, as in PyTorch.
#include <cassert>

#include "element.cuh"

namespace aten {

static const int kIndices = 4;
/// Over the elements of the result (or of the values put): where each stands in the result (step 0), in the indexed tensor (step 1; 0
/// along what is indexed) and in each index tensor.
struct Indexed {
    void* to;
    const void* from;
    i64 n;
    int indices, unused;
    const i64* index[kIndices];
    i64 size[kIndices], step[kIndices];  // of the indexed dimensions
    Walk<2 + kIndices> walk;
};
/// Gather and scatter: over the elements of the index, with the steps of the index, of what has its shape and of what is indexed.
struct Gathered {
    void* to;
    const void* from;
    const i64* index;
    i64 n, size, step;
    Walk<3> walk;
};

static __device__ i64 checked(i64 k, i64 size) {
    if (k < 0) k += size;
    assert(k >= 0 && k < size && "index out of bounds");
    return k;
}
static __device__ bool places(const Indexed& p, i64& own, i64& other) {
    const i64 i = element();
    if (i >= p.n) return false;
    i64 place[2 + kIndices];
    p.walk.at(static_cast<u64>(i), place);
    own = place[0], other = place[1];
    for (int k = 0; k < p.indices; ++k) other += checked(p.index[k][place[2 + k]], p.size[k]) * p.step[k];
    return true;
}
static __device__ bool places(const Gathered& p, i64& own, i64& other) {
    const i64 i = element();
    if (i >= p.n) return false;
    i64 place[3];
    p.walk.at(static_cast<u64>(i), place);
    own = place[1], other = place[2] + checked(p.index[place[0]], p.size) * p.step;
    return true;
}
/// To `own` from `other`, or the other way round.
template <class P> static __device__ void take(const P& p) {
    i64 own, other;
    if (places(p, own, other)) static_cast<WW_ELEMENT*>(p.to)[own] = static_cast<const WW_ELEMENT*>(p.from)[other];
}
template <class P> static __device__ void put(const P& p) {
    i64 own, other;
    if (places(p, own, other)) static_cast<WW_ELEMENT*>(p.to)[other] = static_cast<const WW_ELEMENT*>(p.from)[own];
}
#ifdef WW_ATOMIC
template <class P> static __device__ void add(const P& p) {
    i64 own, other;
    if (places(p, own, other)) atomicAdd(static_cast<WW_ATOMIC*>(p.to) + other, static_cast<const WW_ATOMIC*>(p.from)[own]);
}
#endif

}  // namespace aten

extern "C" __global__ void WW_NAME(index)(aten::Indexed p) { aten::take(p); }
extern "C" __global__ void WW_NAME(index_put)(aten::Indexed p) { aten::put(p); }
extern "C" __global__ void WW_NAME(gather)(aten::Gathered p) { aten::take(p); }
extern "C" __global__ void WW_NAME(scatter)(aten::Gathered p) { aten::put(p); }
#ifdef WW_ATOMIC
extern "C" __global__ void WW_NAME(index_add)(aten::Indexed p) { aten::add(p); }
extern "C" __global__ void WW_NAME(scatter_add)(aten::Gathered p) { aten::add(p); }
#endif
