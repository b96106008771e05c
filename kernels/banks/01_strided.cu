// Reads shared memory with a stride of STRIDE words. Word w holds w, so that the result says which was read.
#include "../common/types.cuh"

#define WORDS 2048

extern "C" __global__ void strided(ELEMENT* out, unsigned n, unsigned stride) {
    __shared__ ELEMENT words[WORDS];
    for (unsigned w = threadIdx.x; w < WORDS; w += blockDim.x) words[w] = w;
    __syncthreads();
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = words[threadIdx.x % 32 * stride % WORDS];
}
