// y[i] is the mean of x[i - 1], x[i] and x[i + 1]. At the ends the missing neighbour is the element itself.
__global__ void smoothed(const float* x, float* y, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = (x[i - 1] + x[i] + x[i + 1]) / 3;
}
