// As the vectorised rung, but blocks do not queue for a ticket: each writes its value into a slot, and the last block
// looks at the slots until all are filled (hand_over.cuh). The path from the last load to the result is one store
// that arrives and one load that sees it, instead of a store, a fence, an atomic and loads one after the other.
// The order is fixed: THREADS, UNROLL and the grid decide on every bit of the result.
#include "../common/hand_over.cuh"

#ifndef THREADS
#define THREADS 256
#define UNROLL 8
#endif

extern "C" __global__ void __launch_bounds__(THREADS) reduce_handed_over(const ELEMENT* in, ELEMENT* out, unsigned long long n,
                                                                         unsigned long long* slots) {
    using Op = reduce::OPERATION;
    reduce::begin();
    hand_over::finish<ELEMENT, Op, THREADS>(reduce::Split<ELEMENT>(in, n).share<Op, THREADS, UNROLL>(), out, slots);
}
