// A fixed number of blocks walks over the whole input; a thread sums what it meets in a register.
// The tree, its barriers and the second launch are paid once per block, and there are few blocks.
#include "../common/types.cuh"

extern "C" __global__ void reduce_grid_stride(const ELEMENT* in, ELEMENT* out, unsigned long long n) {
    extern __shared__ ELEMENT grid_stride[];
    ELEMENT* data = grid_stride;
    unsigned t = threadIdx.x;
    unsigned long long step = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
    ELEMENT sum = ELEMENT(0);
    for (unsigned long long i = static_cast<unsigned long long>(blockIdx.x) * blockDim.x + t; i < n; i += step)
        sum += in[i];
    data[t] = sum;
    __syncthreads();
    for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
        if (t < s) data[t] += data[t + s];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = data[0];
}
