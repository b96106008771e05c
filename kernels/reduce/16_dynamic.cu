// Tiles are handed out: a block takes the next one from a counter while it adds the one before. No block ends early or
// late, and all blocks read close to one another, so that the memory's open pages serve many of them. Which block adds which
// tile is up to chance: floating-point sums may differ in their last bits from launch to launch.
#include "../common/hand_over.cuh"

#ifndef THREADS
#define THREADS 512
#define UNROLL 8
#endif

extern "C" __global__ void __launch_bounds__(THREADS) reduce_dynamic(const ELEMENT* in, ELEMENT* out, unsigned long long n,
                                                                     unsigned long long* slots, unsigned long long* counter) {
    using Op = reduce::OPERATION;
    using reduce::u64;
    __shared__ u64 next[2];
    reduce::begin();
    const reduce::Split<ELEMENT> data(in, n);
    const u64 tiles = data.tiles<THREADS * UNROLL>();
    reduce::Accumulator<ELEMENT> x = data.edges<Op>(Op::identity<reduce::Accumulator<ELEMENT>>());
    if (blockIdx.x == gridDim.x - 1) x = data.with_rest<Op, THREADS, UNROLL>(x);
    unsigned turn = 0;
    for (u64 i = blockIdx.x; i < tiles; i = next[turn], turn ^= 1) {
        if (threadIdx.x == 0) next[turn] = gridDim.x + atomicAdd(counter, 1ull);
        x = data.with_tile<Op, THREADS, UNROLL>(i, x);
        __syncthreads();  // one is enough: the next write goes to the other place
    }
    hand_over::finish<ELEMENT, Op, THREADS>(x, out, slots);
    // The last block gets here when it has seen all the others' values: none asks for a tile any more. (No fence orders
    // their atomics before this store, so that it must not be a plain one.)
    if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0) *const_cast<volatile u64*>(counter) = 0;
}
