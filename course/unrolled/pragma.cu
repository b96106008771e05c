__global__ void series(const float* x, float* y, int n, int m) {
    const int first = blockIdx.x * 1024 + threadIdx.x;
    for (int q = 0; q < 4; ++q) {
        const int i = first + q * 256;
        if (i >= n) return;
        const float v = x[i];
        float sum = 0;
#pragma unroll 8
        for (int k = 0; k < m; ++k) sum = sum * v + 1;
        y[i] = sum;
    }
}
