// The negative log likelihood of classes: of each place the element of its target's class, with the class's weight. A target outside the classes
// fails an assertion, as in PyTorch.
#include <cassert>

#include "element.cuh"

namespace aten {

typedef Reckoned<WW_ELEMENT> X;

/// `from` has the elements (outer, class, inner); a place is one of outer and inner, and has a target.
struct Classes {
    void *to, *total;  // total: the sum of the weights
    const void *from, *grad, *weight;
    const i64* target;
    i64 n, classes, inner, ignored;
    int mean, each;  // each: a result (or a gradient) for each place
};

/// Finds the element of a place's class and its weight; false: the place does not count.
static __device__ bool chosen(const Classes& p, i64 place, i64& at, X& weight) {
    const i64 k = p.target[place];
    if (k == p.ignored) return false;
    assert(k >= 0 && k < p.classes && "the target is none of the classes");
    at = (place / p.inner * p.classes + k) * p.inner + place % p.inner;
    weight = p.weight ? read<WW_ELEMENT>(p.weight, k) : X(1);
    return true;
}

static const int kBlock = 256;
static __device__ X all_of(X mine) {
    __shared__ X shared[kBlock];
    __syncthreads();
    shared[threadIdx.x] = mine;
    __syncthreads();
    for (int half = kBlock / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) shared[threadIdx.x] += shared[threadIdx.x + half];
        __syncthreads();
    }
    return shared[0];
}

}  // namespace aten
using namespace aten;

/// The sum or the mean over all places, by one block.
extern "C" __global__ void WW_NAME(nll)(Classes p) {
    X sum = 0, total = 0, weight = 0;
    i64 at = 0;
    for (i64 place = threadIdx.x; place < p.n; place += kBlock) {
        if (!chosen(p, place, at, weight)) continue;
        sum -= weight * read<WW_ELEMENT>(p.from, at);
        total += weight;
    }
    sum = all_of(sum);
    total = all_of(total);
    if (threadIdx.x != 0) return;
    Write<WW_ELEMENT>::to(p.to, 0, p.mean ? sum / total : sum);
    Write<WW_ELEMENT>::to(p.total, 0, total);
}
extern "C" __global__ void WW_NAME(nll_each)(Classes p) {
    const i64 place = element();
    if (place >= p.n) return;
    i64 at = 0;
    X weight = 0;
    Write<WW_ELEMENT>::to(p.to, place, chosen(p, place, at, weight) ? -weight * read<WW_ELEMENT>(p.from, at) : X(0));
}
/// `to` is zero before.
extern "C" __global__ void WW_NAME(nll_backward)(Classes p) {
    const i64 place = element();
    if (place >= p.n) return;
    i64 at = 0;
    X weight = 0;
    if (!chosen(p, place, at, weight)) return;
    const X grad = read<WW_ELEMENT>(p.grad, p.each ? place : 0);
    Write<WW_ELEMENT>::to(p.to, at, -weight * (p.mean ? grad / read<WW_ELEMENT>(p.total, 0) : grad));
}
