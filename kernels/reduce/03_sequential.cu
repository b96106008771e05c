// The tree folded from the other end: each step adds the upper half to the lower half,
// so that busy lanes read and write neighbouring words.
#include "../common/types.cuh"

extern "C" __global__ void reduce_sequential(const ELEMENT* in, ELEMENT* out, unsigned long long n) {
    extern __shared__ ELEMENT sequential[];
    ELEMENT* data = sequential;
    unsigned t = threadIdx.x;
    unsigned long long i = static_cast<unsigned long long>(blockIdx.x) * blockDim.x + t;
    data[t] = i < n ? in[i] : ELEMENT(0);
    __syncthreads();
    for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
        if (t < s) data[t] += data[t + s];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = data[0];
}
