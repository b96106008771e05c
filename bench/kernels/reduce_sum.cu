// partial[block] = sum of the block's share of in[0..n): a grid-stride sum per thread, then a tree in shared memory.
// Blocks of 256. Launched a second time, with one block, it sums the partial sums.
#define BLOCK 256

extern "C" __global__ void reduce_sum(const int* in, int* partial, int n) {
    __shared__ int sums[BLOCK];
    int thread = threadIdx.x;
    int sum = 0;
    for (int i = blockIdx.x * BLOCK + thread; i < n; i += gridDim.x * BLOCK) sum += in[i];
    sums[thread] = sum;
    __syncthreads();
    for (int width = BLOCK / 2; width > 0; width >>= 1) {
        if (thread < width) sums[thread] += sums[thread + width];
        __syncthreads();
    }
    if (thread == 0) partial[blockIdx.x] = sums[0];
}
