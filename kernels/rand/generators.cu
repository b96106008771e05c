// The generators of random numbers as kernels: one thread is one stream, a group of four outputs, or one element.
#include "generators.cuh"

using namespace ww_rand;

#define WW_KERNEL extern "C" __global__ void __launch_bounds__(256)
#define WW_THREAD (blockIdx.x * 256ull + threadIdx.x)
#define WW_STREAMS(name, S)                                                                               \
    WW_KERNEL name(S* states, int kind, void* out, u64 first, u64 units, Shape shape) {                   \
        const u64 stream = WW_THREAD;                                                                     \
        if (stream >= S::kStreams) return;                                                                \
        S s = states[stream];                                                                             \
        run_stream(s, (u32)stream, kind, out, first, units, shape);                                       \
        states[stream] = s;                                                                               \
    }
WW_STREAMS(rand_xorwow, Xorwow)
WW_STREAMS(rand_mrg32k3a, Mrg32k3a)

WW_KERNEL rand_philox(u64 key, int kind, void* out, u64 first, u64 n, Shape shape) {
    for (u64 group = first / 4 + WW_THREAD; group <= (first + n - 1) / 4; group += gridDim.x * 256ull)
        philox_group(key, group, kind, out, first, n, shape);
}

/// `n` elements of each dimension, one dimension behind the other.
WW_KERNEL rand_sobol(const u32* directions, int kind, void* out, u64 first, u64 n, u64 all, Shape shape) {
    for (u64 at = WW_THREAD; at < all; at += gridDim.x * 256ull)
        sobol_element(directions + at / n * 32, first + at % n, kind, out, at, shape);
}
