__global__ void block_sums(const int* x, int* sums, int n) {
    __shared__ int words[256];
    const int t = threadIdx.x;
    const int i = blockIdx.x * 512 + t;
    words[t] = i < n ? x[i] + x[i + 256] : 0;
    __syncthreads();
    for (int s = 128; s > 0; s /= 2) {
        if (t < s) words[t] += words[t + s];
        __syncthreads();
    }
    if (t == 0) sums[blockIdx.x] = words[0];
}
