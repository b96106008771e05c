// The same tree, its additions dealt to consecutive threads: whole warps are busy or idle.
// The price: busy lanes now stand 2 s words apart in shared memory and meet in the banks.
#include "../common/types.cuh"

extern "C" __global__ void reduce_strided(const ELEMENT* in, ELEMENT* out, unsigned long long n) {
    extern __shared__ ELEMENT strided[];
    ELEMENT* data = strided;
    unsigned t = threadIdx.x;
    unsigned long long i = static_cast<unsigned long long>(blockIdx.x) * blockDim.x + t;
    data[t] = i < n ? in[i] : ELEMENT(0);
    __syncthreads();
    for (unsigned s = 1; s < blockDim.x; s *= 2) {
        unsigned left = 2 * s * t;
        if (left < blockDim.x) data[left] += data[left + s];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = data[0];
}
