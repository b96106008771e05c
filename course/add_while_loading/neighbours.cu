__global__ void block_sums(const int* x, int* sums, int n) {
    __shared__ int words[256];
    const int t = threadIdx.x;
    const int i = blockIdx.x * 512 + 2 * t;
    words[t] = (i < n ? x[i] : 0) + (i + 1 < n ? x[i + 1] : 0);
    __syncthreads();
    for (int s = 128; s > 0; s /= 2) {
        if (t < s) words[t] += words[t + s];
        __syncthreads();
    }
    if (t == 0) sums[blockIdx.x] = words[0];
}
