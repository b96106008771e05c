// How the blocks of a launch hand their values to the last one, which puts them together in a fixed order: each has a slot
// of its own and writes value and mark in one store; the last block looks until all slots are marked, and empties
// them for the next launch. No fence and no atomic. Slots must be 0 before the first launch, and belong to launches that
// run one after the other. The last block waits for blocks that began before it, so there is no deadlock.
#pragma once
#include "reduce.cuh"

namespace hand_over {

using reduce::u64;

// A slot is one word, its upper half 1 where the lower holds a value; or two such words for a value of 8 bytes, each
// valid or not on its own account.
constexpr u64 mark = 1ull << 32;

template <class A> static __device__ __forceinline__ void put(u64* slots, unsigned i, A x) {
    if constexpr (sizeof(A) == 4) {
        asm volatile("st.volatile.global.u64 [%0], %1;" ::"l"(slots + i), "l"(mark | __builtin_bit_cast(unsigned, x)) : "memory");
    } else {
        const u64 bits = __builtin_bit_cast(u64, x);
        asm volatile("st.volatile.global.v2.u64 [%0], {%1, %2};" ::"l"(slots + 2 * i), "l"(mark | (bits & 0xffffffffu)), "l"(mark | bits >> 32) : "memory");
    }
}
/// False while the value is not there.
template <class A> static __device__ __forceinline__ bool look(const u64* slots, unsigned i, A& x) {
    if constexpr (sizeof(A) == 4) {
        u64 word;
        asm volatile("ld.volatile.global.u64 %0, [%1];" : "=l"(word) : "l"(slots + i) : "memory");
        x = __builtin_bit_cast(A, static_cast<unsigned>(word));
        return word >> 32;
    } else {
        u64 low, high;
        asm volatile("ld.volatile.global.v2.u64 {%0, %1}, [%2];" : "=l"(low), "=l"(high) : "l"(slots + 2 * i) : "memory");
        x = __builtin_bit_cast(A, high << 32 | (low & 0xffffffffu));
        return low >> 32 && high >> 32;
    }
}
template <class A> static __device__ __forceinline__ void clear(u64* slots, unsigned i) {
    if constexpr (sizeof(A) == 4)
        slots[i] = 0;
    else
        slots[2 * i] = slots[2 * i + 1] = 0;
}

/// Slots first, first + step, ... below count, in this order; `ahead` looks are on their way at a time.
template <class Op, unsigned ahead, class A> static __device__ __forceinline__ A take(u64* slots, unsigned first, unsigned step, unsigned count) {
    A sum = Op::template identity<A>();
    for (unsigned i = first; i < count; i += ahead * step) {
        A x[ahead];
        bool there;
        do {
            there = true;
#pragma unroll
            for (unsigned j = 0; j < ahead; ++j) {
                x[j] = Op::template identity<A>();
                if (i + j * step < count && !look(slots, i + j * step, x[j])) there = false;
            }
        } while (!there);
#pragma unroll
        for (unsigned j = 0; j < ahead; ++j) {
            sum = Op::apply(sum, x[j]);
            if (i + j * step < count) clear<A>(slots, i + j * step);
        }
    }
    return sum;
}

/// The whole launch's value from one a thread, written to `out`. All threads must call it.
template <class T, class Op, unsigned threads> static __device__ __forceinline__ void finish(reduce::Accumulator<T> x, T* out, u64* slots) {
    using A = reduce::Accumulator<T>;
    x = reduce::of_block<Op, threads>(x);
    const unsigned last = gridDim.x - 1;
    if (blockIdx.x != last) {
        if (threadIdx.x == 0) put(slots, blockIdx.x, x);
        return;
    }
    if (last > 0) {
        if (threadIdx.x != 0) x = Op::template identity<A>();
        x = Op::apply(x, take<Op, 4, A>(slots, threadIdx.x, threads, last));
        __syncthreads();  // the first of_block is over for all warps
        x = reduce::of_block<Op, threads>(x);
    }
    if (threadIdx.x == 0) *out = reduce::Traits<T>::store(x);
}

}  // namespace hand_over
