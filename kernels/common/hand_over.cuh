// How the blocks of a launch hand their values to the last one, which puts them together in a fixed order: each has a slot
// of its own and writes value and tag in one store; the last block looks until all tags are this launch's number. No
// fence, no atomic, no counter that must be reset: the launch's number, one more than the launches so far, makes what
// earlier launches left in the slots invalid. Slots and number must be 0 before the first launch, and belong to launches
// that run one after the other. The last block waits for blocks that began before it, so there is no deadlock.
#pragma once
#include "reduce.cuh"

namespace hand_over {

using reduce::u64;

/// The tag of this launch. To be asked for first, so that it is there when it is needed.
static __device__ __forceinline__ unsigned tag(const unsigned* launches) {
    unsigned before;
    asm volatile("ld.volatile.global.u32 %0, [%1];" : "=r"(before) : "l"(launches));
    return before + 1;
}

// A slot is one word {tag, value}, or two for a value of 8 bytes, each valid or not on its own account.

template <class A> static __device__ __forceinline__ void put(u64* slots, unsigned i, A x, unsigned tag) {
    const u64 mark = static_cast<u64>(tag) << 32;
    if constexpr (sizeof(A) == 4) {
        asm volatile("st.volatile.global.u64 [%0], %1;" ::"l"(slots + i), "l"(mark | __builtin_bit_cast(unsigned, x)) : "memory");
    } else {
        const u64 bits = __builtin_bit_cast(u64, x);
        asm volatile("st.volatile.global.v2.u64 [%0], {%1, %2};" ::"l"(slots + 2 * i), "l"(mark | (bits & 0xffffffffu)), "l"(mark | bits >> 32) : "memory");
    }
}
/// False while the value is not there.
template <class A> static __device__ __forceinline__ bool look(const u64* slots, unsigned i, A& x, unsigned tag) {
    if constexpr (sizeof(A) == 4) {
        u64 word;
        asm volatile("ld.volatile.global.u64 %0, [%1];" : "=l"(word) : "l"(slots + i) : "memory");
        x = __builtin_bit_cast(A, static_cast<unsigned>(word));
        return word >> 32 == tag;
    } else {
        u64 low, high;
        asm volatile("ld.volatile.global.v2.u64 {%0, %1}, [%2];" : "=l"(low), "=l"(high) : "l"(slots + 2 * i) : "memory");
        x = __builtin_bit_cast(A, high << 32 | (low & 0xffffffffu));
        return low >> 32 == tag && high >> 32 == tag;
    }
}

/// Slots first, first + step, ... below count, in this order; as many as `ahead` looks are on their way at a time.
template <class Op, unsigned ahead, class A> static __device__ __forceinline__ A take(const u64* slots, unsigned first, unsigned step, unsigned count, unsigned tag) {
    A sum = Op::template identity<A>();
    for (unsigned i = first; i < count; i += ahead * step) {
        A x[ahead];
        bool there;
        do {
            there = true;
#pragma unroll
            for (unsigned j = 0; j < ahead; ++j) {
                x[j] = Op::template identity<A>();
                if (i + j * step < count && !look(slots, i + j * step, x[j], tag)) there = false;
            }
        } while (!there);
#pragma unroll
        for (unsigned j = 0; j < ahead; ++j) sum = Op::apply(sum, x[j]);
    }
    return sum;
}

/// The whole launch's value from one a thread, written to `out`. All threads must call it.
template <class T, class Op, unsigned threads> static __device__ void finish(reduce::Accumulator<T> x, T* out, u64* slots, unsigned* launches, unsigned tag) {
    x = reduce::of_block<Op, threads>(x);
    const unsigned last = gridDim.x - 1;
    if (blockIdx.x != last) {
        if (threadIdx.x == 0) put(slots, blockIdx.x, x, tag);
        return;
    }
    if (last > 32 * 8) {  // many: all threads look
        if (threadIdx.x != 0) x = Op::template identity<reduce::Accumulator<T>>();
        x = Op::apply(x, take<Op, 8, reduce::Accumulator<T>>(slots, threadIdx.x, threads, last, tag));
        __syncthreads();
        x = reduce::of_block<Op, threads>(x);
    } else if (last > 0 && threadIdx.x < 32) {  // few: one warp, which needs no barrier
        x = Op::apply(reduce::of_warp<Op>(take<Op, 8, reduce::Accumulator<T>>(slots, threadIdx.x, 32, last, tag)), x);
    }
    if (threadIdx.x == 0) {
        *out = reduce::Traits<T>::store(x);
        *launches = tag;
    }
}

}  // namespace hand_over
