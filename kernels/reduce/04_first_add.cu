// Each thread adds two elements while it loads them. Before, half of the threads did nothing after the load.
#include "../common/types.cuh"

extern "C" __global__ void reduce_first_add(const ELEMENT* in, ELEMENT* out, unsigned long long n) {
    extern __shared__ ELEMENT first_add[];
    ELEMENT* data = first_add;
    unsigned t = threadIdx.x;
    unsigned long long i = static_cast<unsigned long long>(blockIdx.x) * (2 * blockDim.x) + t;
    ELEMENT sum = i < n ? in[i] : ELEMENT(0);
    if (i + blockDim.x < n) sum += in[i + blockDim.x];
    data[t] = sum;
    __syncthreads();
    for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
        if (t < s) data[t] += data[t + s];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = data[0];
}
