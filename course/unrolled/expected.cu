__global__ void series(const float* x, float* y, int n, int m) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0;
    const float v = x[i];
#pragma unroll 8
    for (int k = 0; k < m; ++k) sum = sum * v + 1;
    y[i] = sum;
}
