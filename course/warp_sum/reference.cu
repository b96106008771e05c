__global__ void warp_sums(const int* x, int* sums, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int v = i < n ? x[i] : 0;
    for (int s = 16; s > 0; s /= 2) v += __shfl_down_sync(0xffffffff, v, s);
    if (i < n && i % 32 == 0) sums[i / 32] = v;
}
