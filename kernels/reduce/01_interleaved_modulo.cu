// Each block sums blockDim.x elements as a tree in shared memory and writes one partial sum.
// In step s the threads whose number is a multiple of 2 s add: every warp keeps a few busy lanes to the end.
#include "../common/types.cuh"

extern "C" __global__ void reduce_interleaved_modulo(const ELEMENT* in, ELEMENT* out, unsigned long long n) {
    extern __shared__ ELEMENT interleaved_modulo[];
    ELEMENT* data = interleaved_modulo;
    unsigned t = threadIdx.x;
    unsigned long long i = static_cast<unsigned long long>(blockIdx.x) * blockDim.x + t;
    data[t] = i < n ? in[i] : ELEMENT(0);
    __syncthreads();
    for (unsigned s = 1; s < blockDim.x; s *= 2) {
        if (t % (2 * s) == 0) data[t] += data[t + s];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = data[0];
}
