__global__ void smoothed(const float* x, float* y, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int left = i > 0 ? i - 1 : 0, right = i < n - 1 ? i + 1 : n - 1;
    y[i] = (x[left] + x[i] + x[right]) / 3;
}
