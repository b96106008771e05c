__global__ void block_sums(const int* x, int* sums, int n) {
    if (threadIdx.x != 0) return;
    int sum = 0;
    for (int i = blockIdx.x * 256; i < n; i += 64 * 256)
        for (int k = i; k < n && k < i + 256; ++k) sum += x[k];
    sums[blockIdx.x] = sum;
}
