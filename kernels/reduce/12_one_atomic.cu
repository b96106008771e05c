// The sum of int32 in one atomic per block: the accumulator's upper half adds up the values, which may wrap, its lower half counts
// the blocks. Who finds all others counted has the whole sum in hand; no partial sums, no fence, no second reading. The
// order of integer additions does not matter. `accumulator` must be 0 before the launch and is 0 again after it.
#include "../common/reduce.cuh"

#ifndef THREADS
#define THREADS 256
#define UNROLL 8
#endif

extern "C" __global__ void __launch_bounds__(THREADS) reduce_one_atomic(const int* in, int* out, unsigned long long n,
                                                                    unsigned long long* accumulator) {
    reduce::begin();
    int x = reduce::Split<int>(in, n).share<reduce::sum, THREADS, UNROLL>();
    x = reduce::of_block<reduce::sum, THREADS>(x);
    if (threadIdx.x != 0) return;
    const reduce::u64 before = atomicAdd(accumulator, static_cast<reduce::u64>(static_cast<unsigned>(x)) << 32 | 1);
    if (static_cast<unsigned>(before) != gridDim.x - 1) return;
    *out = x + static_cast<int>(before >> 32);
    *accumulator = 0;
}
