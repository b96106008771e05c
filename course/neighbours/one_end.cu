__global__ void smoothed(const float* x, float* y, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = (x[i > 0 ? i - 1 : 0] + x[i] + x[i + 1]) / 3;
}
