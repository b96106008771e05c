// Functions of single elements: activations and their gradients, sums, products and the like of two tensors, changes of a tensor's
// form, dropout.
#include "numbers.cuh"

using namespace ww_dnn;

/// cudnnOpTensorOp_t's numbers.
enum Two : int { kAdd, kMultiply, kLeast, kMost, kRoot, kNot };

template <class A>
static __device__ A two_operands(A x, A y, int kind) {
    switch (kind) {
        case kAdd:
            return x + y;
        case kMultiply:
            return x * y;
        case kLeast:
            return y < x || y != y ? y : x;
        case kMost:
            return y > x || y != y ? y : x;
        case kRoot:
            return root(x);
        default:
            return A(1) - x;
    }
}

/// A number in [0, 1) of a seed and a place: splitmix64's (Steele, Lea and Flood 2014).
static __device__ float drawn(unsigned long long seed, unsigned long long place) {
    unsigned long long z = seed + (place + 1) * 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return (float)((z ^ z >> 31) >> 40) * 0x1p-24f;
}

template <class A>
static __device__ void map(const Map& m) {
    const A alpha = (A)m.alpha, beta = (A)m.beta, coefficient = (A)m.coefficient;
#pragma unroll 1
    for (unsigned i = blockIdx.x * kThreads + threadIdx.x; i < m.walk.count; i += gridDim.x * kThreads) {
        i64 at[kMostTensors] = {};
        place(m.walk, i, at);
        const auto in = [&](int which) { return load<A>(m.tensors, which, at[which]); };
        A x{}, factor = alpha;
        switch (m.function) {
            case Function::copy:
                x = in(1);
                break;
            case Function::fill:
                x = coefficient;
                break;
            case Function::activation:
                x = activated(in(1), m.kind, coefficient, m.keep_nan);
                break;
            case Function::activation_gradient:
                x = activation_gradient(in(3), in(1), in(2), m.kind, coefficient);
                break;
            case Function::two_operands:
                x = two_operands(alpha * in(1), m.kind < kRoot ? (A)m.alpha_second * in(2) : A(0), m.kind);
                factor = A(1);
                break;
            case Function::dropout: {
                // The reserve has a byte for each element: whether it stays.
                const bool stays = drawn(m.seed, i) >= (float)m.coefficient;
                ((unsigned char*)m.tensors.at[2])[i] = stays;
                x = stays ? in(1) : A(0);
                break;
            }
            case Function::dropout_gradient:
                x = ((const unsigned char*)m.tensors.at[2])[i] ? in(1) : A(0);
                break;
        }
        blend<A>(m.tensors.at[0], m.tensors.type[0], at[0], factor, x, beta);
    }
}
extern "C" __global__ void __launch_bounds__(kThreads) dnn_map_f32(Map m) { map<float>(m); }
extern "C" __global__ void __launch_bounds__(kThreads) dnn_map_f64(Map m) { map<double>(m); }
