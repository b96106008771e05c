// Loads of 16 bytes, eight of them on their way in every thread before the first addition, and any type and operation.
// The blocks' values are put together by the block that takes the last ticket, always in the order of the blocks, so
// the result is the same whoever that is. The ticket counts round (atom.inc), so it is 0 again after the last one.
#include "../common/reduce.cuh"

extern "C" __global__ void __launch_bounds__(256) reduce_vectorised(const ELEMENT* in, ELEMENT* out, unsigned long long n,
                                                                    unsigned long long* partial, unsigned* ticket) {
    using Op = reduce::OPERATION;
    using A = reduce::Accumulator<ELEMENT>;
    constexpr unsigned threads = 256, unroll = 8;
    __shared__ bool last;
    A x = reduce::Split<ELEMENT>(in, n).share<Op, threads, unroll>();
    x = reduce::of_block<Op, threads>(x);
    A* partials = reinterpret_cast<A*>(partial);
    if (threadIdx.x == 0) {
        partials[blockIdx.x] = x;
        unsigned before;  // acq_rel: the partial sum is visible before the ticket, the others' after it
        asm volatile("atom.acq_rel.gpu.global.inc.u32 %0, [%1], %2;" : "=r"(before) : "l"(ticket), "r"(gridDim.x - 1) : "memory");
        last = before == gridDim.x - 1;
    }
    __syncthreads();
    if (!last) return;
    x = Op::identity<A>();
    for (unsigned i = threadIdx.x; i < gridDim.x; i += threads) x = Op::apply(x, *const_cast<volatile A*>(partials + i));
    x = reduce::of_block<Op, threads>(x);
    if (threadIdx.x == 0) *out = reduce::Traits<ELEMENT>::store(x);
}
