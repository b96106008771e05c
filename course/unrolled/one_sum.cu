__global__ void series(const float* x, float* y, int n, int m) {
    const int first = blockIdx.x * 1024 + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < m; ++k)
        for (int q = 0; q < 4; ++q)
            if (first + q * 256 < n) sum = sum * x[first + q * 256] + 1;
    for (int q = 0; q < 4; ++q)
        if (first + q * 256 < n) y[first + q * 256] = sum;
}
