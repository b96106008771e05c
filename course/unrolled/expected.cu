__global__ void polynomial(const float* x, const float* c, float* y, int n, int m) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0;
    for (int k = m - 1; k >= 0; --k) sum = sum * x[i] + c[k];
    y[i] = sum;
}
