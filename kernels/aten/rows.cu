// Operators on rows: softmax and its logarithm, layer norm and rms norm, forward and backward. A block has a row.
#include "element.cuh"

namespace aten {

typedef Reckoned<WW_ELEMENT> X;

/// The sum (or greatest) of a number of each thread of the block, whose size is a power of two up to 256.
template <bool kMax> static __device__ X all_of(X mine) {
    __shared__ X shared[256];
    const int t = threadIdx.x;
    __syncthreads();
    shared[t] = mine;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (t < half) {
            const X a = shared[t], b = shared[t + half];
            shared[t] = !kMax ? a + b : a != a ? a : a > b ? a : b;
        }
        __syncthreads();
    }
    return shared[0];
}

struct Softmax {
    void* to;
    const void *from, *grad;
    i64 size, inner;  // a row has `size` elements, `inner` apart
    __device__ i64 first() const { return blockIdx.x / inner * (size * inner) + blockIdx.x % inner; }
};

struct Norms {
    void *to, *mean, *rstd;
    const void *from, *weight, *bias;
    i64 size;
    double eps;
    int centred, unused;
};
struct NormsBack {
    void* to;
    const void *grad, *from, *mean, *rstd, *weight;
    i64 size;
    int centred, unused;
};
/// The gradients of weight and bias: a thread for each of `size` columns of `rows` rows.
struct NormsWeight {
    void *weight, *bias;
    const void *grad, *from, *mean, *rstd;
    i64 size, rows;
    int centred, unused;
};

}  // namespace aten
using namespace aten;

template <bool kLog> static __device__ void softmax(const Softmax& p) {
    const i64 first = p.first();
    X greatest = -infinity_of(X()), sum = 0;
    for (i64 k = threadIdx.x; k < p.size; k += blockDim.x) {
        const X x = read<WW_ELEMENT>(p.from, first + k * p.inner);
        greatest = x != x ? x : greatest > x ? greatest : greatest != greatest ? greatest : x;
    }
    greatest = all_of<true>(greatest);
    for (i64 k = threadIdx.x; k < p.size; k += blockDim.x) sum += exp(read<WW_ELEMENT>(p.from, first + k * p.inner) - greatest);
    sum = all_of<false>(sum);
    const X log_sum = kLog ? log(sum) : X(0);
    for (i64 k = threadIdx.x; k < p.size; k += blockDim.x) {
        const X x = read<WW_ELEMENT>(p.from, first + k * p.inner) - greatest;
        Write<WW_ELEMENT>::to(p.to, first + k * p.inner, kLog ? x - log_sum : exp(x) / sum);
    }
}
/// From the output and its gradient.
template <bool kLog> static __device__ void softmax_backward(const Softmax& p) {
    const i64 first = p.first();
    X sum = 0;
    for (i64 k = threadIdx.x; k < p.size; k += blockDim.x) {
        const X g = read<WW_ELEMENT>(p.grad, first + k * p.inner);
        sum += kLog ? g : g * read<WW_ELEMENT>(p.from, first + k * p.inner);
    }
    sum = all_of<false>(sum);
    for (i64 k = threadIdx.x; k < p.size; k += blockDim.x) {
        const X y = read<WW_ELEMENT>(p.from, first + k * p.inner), g = read<WW_ELEMENT>(p.grad, first + k * p.inner);
        Write<WW_ELEMENT>::to(p.to, first + k * p.inner, kLog ? g - exp(y) * sum : y * (g - sum));
    }
}
extern "C" __global__ void WW_NAME(softmax)(Softmax p) { softmax<false>(p); }
extern "C" __global__ void WW_NAME(log_softmax)(Softmax p) { softmax<true>(p); }
extern "C" __global__ void WW_NAME(softmax_backward)(Softmax p) { softmax_backward<false>(p); }
extern "C" __global__ void WW_NAME(log_softmax_backward)(Softmax p) { softmax_backward<true>(p); }

/// (x - mean) / deviation, times the weight and more by the bias. Mean and 1 / deviation are kept as they are reckoned.
extern "C" __global__ void WW_NAME(norm_rows)(Norms p) {
    const i64 first = static_cast<i64>(blockIdx.x) * p.size;
    X mean = 0, squares = 0;
    if (p.centred) {
        for (i64 k = threadIdx.x; k < p.size; k += blockDim.x) mean += read<WW_ELEMENT>(p.from, first + k);
        mean = all_of<false>(mean) / static_cast<X>(p.size);
    }
    for (i64 k = threadIdx.x; k < p.size; k += blockDim.x) {
        const X d = read<WW_ELEMENT>(p.from, first + k) - mean;
        squares += d * d;
    }
    squares = all_of<false>(squares) / static_cast<X>(p.size);
    const X rstd = X(1) / sqrt(squares + static_cast<X>(p.eps));
    for (i64 k = threadIdx.x; k < p.size; k += blockDim.x) {
        X y = (read<WW_ELEMENT>(p.from, first + k) - mean) * rstd;
        if (p.weight) y *= read<WW_ELEMENT>(p.weight, k);
        if (p.bias) y += read<WW_ELEMENT>(p.bias, k);
        Write<WW_ELEMENT>::to(p.to, first + k, y);
    }
    if (threadIdx.x == 0) {
        if (p.mean) static_cast<X*>(p.mean)[blockIdx.x] = mean;
        static_cast<X*>(p.rstd)[blockIdx.x] = rstd;
    }
}
extern "C" __global__ void WW_NAME(norm_rows_backward)(NormsBack p) {
    const i64 first = static_cast<i64>(blockIdx.x) * p.size;
    const X mean = p.centred ? static_cast<const X*>(p.mean)[blockIdx.x] : X(0), rstd = static_cast<const X*>(p.rstd)[blockIdx.x];
    X sum = 0, product = 0;
    for (i64 k = threadIdx.x; k < p.size; k += blockDim.x) {
        const X g = read<WW_ELEMENT>(p.grad, first + k) * (p.weight ? read<WW_ELEMENT>(p.weight, k) : X(1));
        sum += g;
        product += g * (read<WW_ELEMENT>(p.from, first + k) - mean) * rstd;
    }
    sum = p.centred ? all_of<false>(sum) / static_cast<X>(p.size) : X(0);
    product = all_of<false>(product) / static_cast<X>(p.size);
    for (i64 k = threadIdx.x; k < p.size; k += blockDim.x) {
        const X g = read<WW_ELEMENT>(p.grad, first + k) * (p.weight ? read<WW_ELEMENT>(p.weight, k) : X(1));
        const X y = (read<WW_ELEMENT>(p.from, first + k) - mean) * rstd;
        Write<WW_ELEMENT>::to(p.to, first + k, (g - sum - y * product) * rstd);
    }
}
extern "C" __global__ void WW_NAME(norm_weight_backward)(NormsWeight p) {
    const i64 k = element();
    if (k >= p.size) return;
    X weight = 0, bias = 0;
    for (i64 r = 0; r < p.rows; ++r) {
        const X g = read<WW_ELEMENT>(p.grad, r * p.size + k);
        const X mean = p.centred ? static_cast<const X*>(p.mean)[r] : X(0);
        weight += g * (read<WW_ELEMENT>(p.from, r * p.size + k) - mean) * static_cast<const X*>(p.rstd)[r];
        bias += g;
    }
    if (p.weight) Write<WW_ELEMENT>::to(p.weight, k, weight);
    if (p.bias) Write<WW_ELEMENT>::to(p.bias, k, bias);
}
