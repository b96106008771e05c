// KNOWN INCORRECT since Volta; kept to be studied. The last warp works without any synchronisation and trusts
// that its lanes move in step. `volatile` keeps the values in memory but orders nothing between lanes, and
// since Volta the lanes of a warp may advance independently: a lane can read a word before it is written, or
// after it was overwritten. The next rung is the same kernel made right.
#include "../common/types.cuh"

static __device__ void last_warp(volatile ELEMENT* data, unsigned t) {
    data[t] = data[t] + data[t + 32];
    data[t] = data[t] + data[t + 16];
    data[t] = data[t] + data[t + 8];
    data[t] = data[t] + data[t + 4];
    data[t] = data[t] + data[t + 2];
    data[t] = data[t] + data[t + 1];
}

// blockDim.x: a power of two, at least 64.
extern "C" __global__ void reduce_last_warp_volatile(const ELEMENT* in, ELEMENT* out, unsigned long long n) {
    extern __shared__ ELEMENT last_warp_volatile[];
    ELEMENT* data = last_warp_volatile;
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
