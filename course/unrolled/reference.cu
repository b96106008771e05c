__global__ void series(const float* x, float* y, int n, int m) {
    const int first = blockIdx.x * 1024 + threadIdx.x;
    float v[4], sum[4];
    for (int q = 0; q < 4; ++q) {
        v[q] = first + q * 256 < n ? x[first + q * 256] : 0;
        sum[q] = 0;
    }
    for (int k = 0; k < m; ++k)
        for (int q = 0; q < 4; ++q) sum[q] = sum[q] * v[q] + 1;
    for (int q = 0; q < 4; ++q)
        if (first + q * 256 < n) y[first + q * 256] = sum[q];
}
