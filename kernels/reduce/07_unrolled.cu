// The block size is a template argument: the loop over the steps is gone, and so is every test of the size.
#include "../common/types.cuh"

#ifndef BLOCK
#define BLOCK 256
#endif

template <unsigned kBlock>
static __device__ void block_tree(ELEMENT* data, unsigned t) {
    static_assert(kBlock >= 64 && kBlock <= 1024 && (kBlock & (kBlock - 1)) == 0, "a power of two from 64 to 1024");
    if (kBlock >= 1024) {
        if (t < 512) data[t] += data[t + 512];
        __syncthreads();
    }
    if (kBlock >= 512) {
        if (t < 256) data[t] += data[t + 256];
        __syncthreads();
    }
    if (kBlock >= 256) {
        if (t < 128) data[t] += data[t + 128];
        __syncthreads();
    }
    if (kBlock >= 128) {
        if (t < 64) data[t] += data[t + 64];
        __syncthreads();
    }
    if (t < 32) {
        ELEMENT sum = data[t];
#pragma unroll
        for (unsigned s = 32; s > 0; s /= 2) {
            sum += data[t + s];
            __syncwarp();
            data[t] = sum;
            __syncwarp();
        }
    }
}

extern "C" __global__ void reduce_unrolled(const ELEMENT* in, ELEMENT* out, unsigned long long n) {
    __shared__ ELEMENT data[BLOCK];
    unsigned t = threadIdx.x;
    unsigned long long i = static_cast<unsigned long long>(blockIdx.x) * (2 * BLOCK) + t;
    ELEMENT sum = i < n ? in[i] : ELEMENT(0);
    if (i + BLOCK < n) sum += in[i + BLOCK];
    data[t] = sum;
    __syncthreads();
    block_tree<BLOCK>(data, t);
    if (t == 0) out[blockIdx.x] = data[0];
}
