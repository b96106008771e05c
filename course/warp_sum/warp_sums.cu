// sums[w] is the sum of elements 32 w to 32 w + 31; n is a multiple of 32. Blocks have 256 threads.
__global__ void warp_sums(const int* x, int* sums, int n) {
    __shared__ int words[256];
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    words[t] = i < n ? x[i] : 0;
    __syncthreads();
    for (int s = 16; s > 0; s /= 2) {
        if (t % 32 < s) words[t] += words[t + s];
        __syncthreads();
    }
    if (i < n && t % 32 == 0) sums[i / 32] = words[t];
}
