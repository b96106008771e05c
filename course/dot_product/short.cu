__device__ int block_sum(int mine) {
    __shared__ int words[256];
    const int t = threadIdx.x;
    words[t] = mine;
    __syncthreads();
    for (int s = 128; s > 0; s /= 2) {
        if (t < s) words[t] += words[t + s];
        __syncthreads();
    }
    return words[0];
}
__global__ void block_dots(const int* x, const int* y, int* dots, int n) {
    const int i = blockIdx.x * 256 + threadIdx.x;
    const int sum = block_sum(i < n ? x[i] * y[i] : 0);
    if (threadIdx.x == 0) dots[blockIdx.x] = sum;
}
__global__ void total(const int* dots, int* sum, int blocks) {
    int mine = 0;
    if ((int)threadIdx.x < blocks) mine = dots[threadIdx.x];
    const int all = block_sum(mine);
    if (threadIdx.x == 0) *sum = all;
}
