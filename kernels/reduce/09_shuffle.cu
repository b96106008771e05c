// The tree goes through registers: lanes pass values to each other with shuffles, shared memory holds one
// word a warp, and one barrier is left.
#include "../common/block_sum.cuh"

extern "C" __global__ void reduce_shuffle(const ELEMENT* in, ELEMENT* out, unsigned long long n) {
    unsigned long long step = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
    ELEMENT sum = ELEMENT(0);
    for (unsigned long long i = static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step)
        sum += in[i];
    sum = block_sum(sum);
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}
