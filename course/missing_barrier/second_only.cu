__global__ void shifted_sums(const int* x, int* y, int n) {
    __shared__ int words[256];
    const int t = threadIdx.x;
    int sum = 0;
    for (int tile = 0; tile < 4; ++tile) {
        const int i = blockIdx.x * 1024 + tile * 256 + t;
        words[t] = i < n ? x[i] : 0;
        sum += words[(t + 77) % 256];
        __syncthreads();
    }
    if ((int)blockIdx.x * 256 + t < (n + 3) / 4) y[blockIdx.x * 256 + t] = sum;
}
