// The sum of int32 in one atomic a block: the accumulator's upper half adds up the values, which may wrap, its lower half counts
// the blocks. Who finds all others counted has the whole sum in hand; no partial sums, no fence, no second reading. The
// order of integer additions does not matter. `accumulator` must be 0 before the launch and is 0 again after it.
#include "../common/reduce.cuh"

extern "C" __global__ void __launch_bounds__(256) reduce_one_atomic(const int* in, int* out, unsigned long long n,
                                                                    unsigned long long* accumulator) {
    constexpr unsigned threads = 256, unroll = 8;
    const reduce::Split<int> data(in, n);
    const reduce::u64 tiles = data.count / (threads * unroll);
    int x = data.rest<reduce::sum>(tiles * threads * unroll);
    for (reduce::u64 i = blockIdx.x; i < tiles; i += gridDim.x) x = reduce::of_tile<reduce::sum, threads, unroll>(data.vectors + i * (threads * unroll), x);
    x = reduce::of_block<reduce::sum, threads>(x);
    if (threadIdx.x != 0) return;
    const reduce::u64 before = atomicAdd(accumulator, static_cast<reduce::u64>(static_cast<unsigned>(x)) << 32 | 1);
    if (static_cast<unsigned>(before) != gridDim.x - 1) return;
    *out = x + static_cast<int>(before >> 32);
    *accumulator = 0;
}
