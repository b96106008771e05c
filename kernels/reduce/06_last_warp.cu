// The last six steps involve one warp only, so a block-wide barrier is more than they need: they are written
// out, and __syncwarp() orders the reads of a step before its writes, and its writes before the next reads.
#include "../common/types.cuh"

static __device__ void last_warp(ELEMENT* data, unsigned t) {
    ELEMENT sum = data[t];
#pragma unroll
    for (unsigned s = 32; s > 0; s /= 2) {
        sum += data[t + s];
        __syncwarp();
        data[t] = sum;
        __syncwarp();
    }
}

// blockDim.x: a power of two, at least 64.
extern "C" __global__ void reduce_last_warp(const ELEMENT* in, ELEMENT* out, unsigned long long n) {
    extern __shared__ ELEMENT last_warp_data[];
    ELEMENT* data = last_warp_data;
    unsigned t = threadIdx.x;
    unsigned long long i = static_cast<unsigned long long>(blockIdx.x) * (2 * blockDim.x) + t;
    ELEMENT sum = i < n ? in[i] : ELEMENT(0);
    if (i + blockDim.x < n) sum += in[i + blockDim.x];
    data[t] = sum;
    __syncthreads();
    for (unsigned s = blockDim.x / 2; s > 32; s /= 2) {
        if (t < s) data[t] += data[t + s];
        __syncthreads();
    }
    if (t < 32) last_warp(data, t);
    if (t == 0) out[blockIdx.x] = data[0];
}
