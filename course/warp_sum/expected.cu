__global__ void warp_sums(const int* x, int* sums, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || i % 32 != 0) return;
    int sum = 0;
    for (int k = 0; k < 32; ++k) sum += x[i + k];
    sums[i / 32] = sum;
}
