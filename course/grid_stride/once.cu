__global__ void block_sums(const int* x, int* sums, int n) {
    __shared__ int words[256];
    const int t = threadIdx.x;
    const int i = blockIdx.x * 256 + t;
    int sum = i < n ? x[i] : 0;
    words[t] = sum;
    __syncthreads();
    for (int s = 128; s > 0; s /= 2) {
        if (t < s) words[t] += words[t + s];
        __syncthreads();
    }
    if (t == 0) sums[blockIdx.x] = words[0];
}
