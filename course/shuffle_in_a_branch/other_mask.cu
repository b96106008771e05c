__global__ void extremes(const int* x, int* y, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    if (i >= n) return;
    int v = x[i];
    if (lane % 2 == 0) {
        for (int s = 16; s > 1; s /= 2) v = max(v, __shfl_xor_sync(0x55555555, v, s));
    } else {
        for (int s = 16; s > 1; s /= 2) v = min(v, __shfl_xor_sync(0x55555555, v, s));
    }
    if (lane < 2) y[i / 32 * 2 + lane] = v;
}
