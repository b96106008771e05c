// What the vectorised reductions share: element types and what they are summed in, the operations, 16-byte loads,
// and the reduction of one value a thread over a warp and a block. f16 and bf16 are reduced in f32 and rounded
// once, at the end. Minimum and maximum of floating-point numbers pass over NaN, as fmin and fmax do.
#pragma once
#include "types.cuh"

namespace reduce {

struct Half { unsigned short bits; };   // f16, as it lies in memory
struct Brain { unsigned short bits; };  // bf16

/// What elements of type T are reduced in, and how one is read from its bits and written back.
template <class T> struct Traits {
    using Accumulator = T;
    static __device__ T load(T x) { return x; }
    static __device__ T store(T x) { return x; }
};
template <> struct Traits<Half> {
    using Accumulator = float;
    static __device__ float load(Half x) {
        float out;
        asm("cvt.f32.f16 %0, %1;" : "=f"(out) : "h"(x.bits));
        return out;
    }
    static __device__ Half store(float x) {
        Half out;
        asm("cvt.rn.f16.f32 %0, %1;" : "=h"(out.bits) : "f"(x));
        return out;
    }
};
template <> struct Traits<Brain> {
    using Accumulator = float;
    static __device__ float load(Brain x) { return __uint_as_float(static_cast<unsigned>(x.bits) << 16); }
    static __device__ Brain store(float x) {
        Brain out;
        asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(out.bits) : "f"(x));
        return out;
    }
};
template <class T> using Accumulator = typename Traits<T>::Accumulator;

static __device__ float least(float a, float b) {
    asm("min.f32 %0, %0, %1;" : "+f"(a) : "f"(b));
    return a;
}
static __device__ double least(double a, double b) {
    asm("min.f64 %0, %0, %1;" : "+d"(a) : "d"(b));
    return a;
}
static __device__ int least(int a, int b) { return a < b ? a : b; }
static __device__ long long least(long long a, long long b) { return a < b ? a : b; }
static __device__ float greatest(float a, float b) {
    asm("max.f32 %0, %0, %1;" : "+f"(a) : "f"(b));
    return a;
}
static __device__ double greatest(double a, double b) {
    asm("max.f64 %0, %0, %1;" : "+d"(a) : "d"(b));
    return a;
}
static __device__ int greatest(int a, int b) { return a > b ? a : b; }
static __device__ long long greatest(long long a, long long b) { return a > b ? a : b; }

/// The largest value of a type; its opposite is the least one (of integers: -largest - 1).
template <class A> __device__ A largest();
template <> __device__ inline int largest<int>() { return 0x7fffffff; }
template <> __device__ inline long long largest<long long>() { return 0x7fffffffffffffffll; }
template <> __device__ inline float largest<float>() { return __uint_as_float(0x7f800000u); }
template <> __device__ inline double largest<double>() { return __longlong_as_double(0x7ff0000000000000ll); }

struct sum {
    template <class A> static __device__ A identity() { return A(0); }
    template <class A> static __device__ A apply(A a, A b) { return a + b; }
    static __device__ int of_warp(int x) {
        asm volatile("redux.sync.add.s32 %0, %0, 0xffffffff;" : "+r"(x));
        return x;
    }
};
struct min {
    template <class A> static __device__ A identity() { return largest<A>(); }
    template <class A> static __device__ A apply(A a, A b) { return least(a, b); }
    static __device__ int of_warp(int x) {
        asm volatile("redux.sync.min.s32 %0, %0, 0xffffffff;" : "+r"(x));
        return x;
    }
};
struct max {
    template <class A> static __device__ A identity() { return A(-largest<A>()) - (A(0.5) == A(0) ? A(1) : A(0)); }
    template <class A> static __device__ A apply(A a, A b) { return greatest(a, b); }
    static __device__ int of_warp(int x) {
        asm volatile("redux.sync.max.s32 %0, %0, 0xffffffff;" : "+r"(x));
        return x;
    }
};

/// 16 bytes of elements.
template <class T> struct Vector {
    static constexpr unsigned count = 16 / sizeof(T);
    union {
        unsigned word[4];
        T element[count];
    };
    /// Its elements reduced, as a tree: short chains, and less rounding than one after the other.
    template <class Op> __device__ Accumulator<T> reduced() const {
        Accumulator<T> x[count];
#pragma unroll
        for (unsigned i = 0; i < count; ++i) x[i] = Traits<T>::load(element[i]);
#pragma unroll
        for (unsigned s = count / 2; s > 0; s /= 2)
#pragma unroll
            for (unsigned i = 0; i < s; ++i) x[i] = Op::apply(x[i], x[i + s]);
        return x[0];
    }
};

/// The value of all 32 lanes together, in every lane.
template <class Op> static __device__ int of_warp(int x) { return Op::of_warp(x); }  // one instruction since Ampere
template <class Op, class A> static __device__ A of_warp(A x) {
#pragma unroll
    for (unsigned s = 16; s > 0; s /= 2) x = Op::apply(x, __shfl_xor_sync(0xffffffffu, x, s));
    return x;
}

/// The value of the whole block, in every lane of warp 0. All threads must call it, and only once a kernel or
/// after a barrier. threads: a multiple of 32.
template <class Op, unsigned threads, class A> static __device__ A of_block(A x) {
    x = of_warp<Op>(x);
    if (threads == 32) return x;
    __shared__ A warps[threads / 32];
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (lane == 0) warps[warp] = x;
    __syncthreads();
    if (warp == 0) x = of_warp<Op>(lane < threads / 32 ? warps[lane] : Op::template identity<A>());
    return x;
}

}  // namespace reduce
