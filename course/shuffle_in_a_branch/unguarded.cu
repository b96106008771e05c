__global__ void extremes(const int* x, int* y, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    int v = x[i];
    for (int s = 16; s > 1; s /= 2) {
        const int other = __shfl_xor_sync(0xffffffff, v, s);
        v = lane % 2 == 0 ? max(v, other) : min(v, other);
    }
    if (lane < 2) y[i / 32 * 2 + lane] = v;
}
