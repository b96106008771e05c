__global__ void extremes(const int* x, int* y, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    if (i >= n || lane > 1) return;
    int v = x[i];
    for (int k = 2; k < 32; k += 2) v = lane == 0 ? max(v, x[i + k]) : min(v, x[i + k]);
    y[i / 32 * 2 + lane] = v;
}
