// sums[b] becomes the sum of elements 512 b to 512 b + 511. A block has 256 threads, and adds up twice 256 elements.
__global__ void block_sums(const int* x, int* sums, int n) {
    __shared__ int words[256];
    const int t = threadIdx.x;
    int sum = 0;
    for (int half = 0; half < 2; ++half) {
        const int i = blockIdx.x * 512 + half * 256 + t;
        words[t] = i < n ? x[i] : 0;
        __syncthreads();
        for (int s = 128; s > 0; s /= 2) {
            if (t < s) words[t] += words[t + s];
            __syncthreads();
        }
        sum += words[0];
        __syncthreads();
    }
    if (t == 0) sums[blockIdx.x] = sum;
}
