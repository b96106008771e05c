// sums[b] is the sum of the 256 elements of block b (fewer in the last one).
__global__ void block_sums(const int* x, int* sums, int n) {
    __shared__ int tile[256];
    const int t = threadIdx.x, i = blockIdx.x * 256 + t;
    tile[t] = i < n ? x[i] : 0;
    __syncthreads();
    for (int s = 1; s < 256; s *= 2) {
        if (t % (2 * s) == 0) tile[t] += tile[t + s];
        __syncthreads();
    }
    if (t == 0) sums[blockIdx.x] = tile[0];
}
