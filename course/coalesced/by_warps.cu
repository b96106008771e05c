__global__ void doubled(const float* x, float* y, int n) {
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    for (int k = 0; k < 4; ++k) {
        const int i = blockIdx.x * 1024 + lane * 32 + warp * 4 + k;
        if (i < n) y[i] = 2 * x[i];
    }
}
