// One launch does it all: every block takes a ticket when its partial sum is written, and the block that takes
// the last ticket adds the partial sums. `ticket` must be 0 before the launch and is 0 again after it.
#include "../common/block_sum.cuh"

extern "C" __global__ void reduce_single_pass(const ELEMENT* in, ELEMENT* out, unsigned long long n,
                                              ELEMENT* partial, unsigned* ticket) {
    __shared__ bool last;
    unsigned long long step = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
    ELEMENT sum = ELEMENT(0);
    for (unsigned long long i = static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step)
        sum += in[i];
    sum = block_sum(sum);
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = sum;
        __threadfence();  // the partial sum is visible before the ticket is taken
        last = atomicAdd(ticket, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last) return;
    __threadfence();
    const volatile ELEMENT* partials = partial;  // written by other blocks: not from a stale cache line
    sum = ELEMENT(0);
    for (unsigned i = threadIdx.x; i < gridDim.x; i += blockDim.x) sum += partials[i];
    sum = block_sum(sum);
    if (threadIdx.x == 0) {
        *out = sum;
        *ticket = 0;
    }
}
