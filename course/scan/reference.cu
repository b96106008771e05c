__global__ void running(const int* x, int* y) {
    __shared__ int words[256];
    const int t = threadIdx.x, i = blockIdx.x * 256 + t;
    words[t] = x[i];
    __syncthreads();
    for (int s = 1; s < 256; s *= 2) {
        const int v = words[t] + (t >= s ? words[t - s] : 0);
        __syncthreads();
        words[t] = v;
        __syncthreads();
    }
    y[i] = words[t];
}
