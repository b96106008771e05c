// What the vectorised reductions share: element types and what they are summed in, the operations, 16-byte loads, an array
// cut into vectors and edges, and the reduction of one value per thread over a warp and a block. f16 and bf16 are reduced in
// f32 and rounded once, at the end. Minimum and maximum of floating-point numbers pass over NaN, as fmin and fmax do.
// -DELEMENT is the type (ladder files: T), -DOPERATION one of sum, min, max.
#pragma once
#include "types.cuh"

#ifndef OPERATION
#define OPERATION sum
#endif
#ifndef PROGRAMMATIC
#define PROGRAMMATIC 0
#endif

namespace reduce {

typedef unsigned long long u64;

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
    static __device__ __forceinline__ int of_warp(int x) {
        asm volatile("redux.sync.add.s32 %0, %0, 0xffffffff;" : "+r"(x));
        return x;
    }
};
struct min {
    template <class A> static __device__ A identity() { return largest<A>(); }
    template <class A> static __device__ A apply(A a, A b) { return least(a, b); }
    static __device__ __forceinline__ int of_warp(int x) {
        asm volatile("redux.sync.min.s32 %0, %0, 0xffffffff;" : "+r"(x));
        return x;
    }
};
struct max {
    template <class A> static __device__ A identity() { return A(-largest<A>()) - (A(0.5) == A(0) ? A(1) : A(0)); }
    template <class A> static __device__ A apply(A a, A b) { return greatest(a, b); }
    static __device__ __forceinline__ int of_warp(int x) {
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
template <class Op> static __device__ __forceinline__ int of_warp(int x) { return Op::of_warp(x); }  // one instruction since Ampere
template <class Op, class A> static __device__ A of_warp(A x) {
#pragma unroll
    for (unsigned s = 16; s > 0; s /= 2) x = Op::apply(x, __shfl_xor_sync(0xffffffffu, x, s));
    return x;
}

/// The value of the whole block, in every thread. All threads must call it, and only once a kernel or after a barrier.
/// threads: a multiple of 32. Every thread reads all warps' values at once, which is sooner done than shuffling them.
template <class Op, unsigned threads, class A> static __device__ __forceinline__ A of_block(A x) {
    constexpr unsigned warps = threads / 32;
    x = of_warp<Op>(x);
    if (warps == 1) return x;
    __shared__ __align__(16) A of_warps[warps];
    if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = x;
    __syncthreads();
    A y[warps];
#pragma unroll
    for (unsigned i = 0; i < warps; ++i) y[i] = of_warps[i];
#pragma unroll
    for (unsigned s = warps / 2; s > 0; s /= 2)
#pragma unroll
        for (unsigned i = 0; i < s; ++i) y[i] = Op::apply(y[i], y[i + s]);
    return y[0];
}

/// With PROGRAMMATIC, for launches that may begin while the one before ends: this one's successor may, and this one waits
/// here until all that came before it can be read. What is saved is the way from one launch to the next.
static __device__ __forceinline__ void begin() {
#if PROGRAMMATIC
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/// Past the first-level cache, where nothing would find it again.
template <class T> static __device__ __forceinline__ Vector<T> load(const Vector<T>* p) {
    Vector<T> v;
    asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v.word[0]), "=r"(v.word[1]), "=r"(v.word[2]), "=r"(v.word[3]) : "l"(p));
    return v;
}

/// An array as whole 16-byte vectors, with the elements before the first and behind the last of them.
template <class T> struct Split {
    const T *begin, *end;
    const Vector<T>* vectors;
    u64 count;

    __device__ __forceinline__ Split(const T* in, u64 n) : begin(in), end(in + n) {
        // Two instructions to the first address: the loads wait for nothing else.
        const u64 first = (reinterpret_cast<u64>(in) + 15) & ~15ull, last = reinterpret_cast<u64>(end);
        vectors = reinterpret_cast<const Vector<T>*>(first);
        count = last > first ? (last - first) / 16 : 0;
    }

    /// Whole tiles of `size` vectors; fewer than that are left.
    template <unsigned size> __device__ u64 tiles() const { return count / size; }
    /// x with whole tile i, `threads` x `unroll` vectors: all loads of a thread are on their way before the first is used.
    template <class Op, unsigned threads, unsigned unroll> __device__ __forceinline__ Accumulator<T> with_tile(u64 i, Accumulator<T> x) const {
        const Vector<T>* at = vectors + i * (threads * unroll) + threadIdx.x;
        Vector<T> v[unroll];
#pragma unroll
        for (unsigned j = 0; j < unroll; ++j) v[j] = load(at + j * threads);
#pragma unroll
        for (unsigned j = 0; j < unroll; ++j) x = Op::apply(x, v[j].template reduced<Op>());
        return x;
    }
    /// The same for what is left of whole tiles. Apart, because tests around every load cost the whole tiles 2 %.
    template <class Op, unsigned threads, unsigned unroll> __device__ __forceinline__ Accumulator<T> with_rest(Accumulator<T> x) const {
        const u64 first = tiles<threads * unroll>() * (threads * unroll);
        const unsigned rest = static_cast<unsigned>(count - first);
        Vector<T> v[unroll];
#pragma unroll
        for (unsigned j = 0; j < unroll; ++j)
            if (j * threads + threadIdx.x < rest) v[j] = load(vectors + first + j * threads + threadIdx.x);
#pragma unroll
        for (unsigned j = 0; j < unroll; ++j)
            if (j * threads + threadIdx.x < rest) x = Op::apply(x, v[j].template reduced<Op>());
        return x;
    }

    /// The elements outside of all vectors, in the first threads of block 0.
    template <class Op> __device__ __forceinline__ Accumulator<T> edges(Accumulator<T> x) const {
        if (blockIdx.x != 0) return x;
        const T *head = begin + threadIdx.x, *tail = reinterpret_cast<const T*>(vectors + count) + threadIdx.x;
        if (head < reinterpret_cast<const T*>(vectors) && head < end) x = Op::apply(x, Traits<T>::load(*head));
        if (tail < end) x = Op::apply(x, Traits<T>::load(*tail));
        return x;
    }

    /// This thread's share where tiles go round the blocks: 0 to the first block, 1 to the second, ...
    template <class Op, unsigned threads, unsigned unroll> __device__ __forceinline__ Accumulator<T> share() const {
        const u64 whole = tiles<threads * unroll>();
        Accumulator<T> x = Op::template identity<Accumulator<T>>();
        u64 i = blockIdx.x;
        for (; i < whole; i += gridDim.x) x = with_tile<Op, threads, unroll>(i, x);
        if (i == whole && whole * (threads * unroll) != count) x = with_rest<Op, threads, unroll>(x);
        return edges<Op>(x);
    }
};

}  // namespace reduce

typedef reduce::Half float16;
typedef reduce::Brain bfloat16;
