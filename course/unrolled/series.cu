// y[i] = 1 + x[i] + x[i]^2 + ... + x[i]^(m - 1), by Horner's rule, for all i from 0 to n - 1.
// Blocks have 256 threads; thread t of block b has the elements 1024 b + t + 256 q, q from 0 to 3.
__global__ void series(const float* x, float* y, int n, int m) {
    const int first = blockIdx.x * 1024 + threadIdx.x;
    for (int q = 0; q < 4; ++q) {
        const int i = first + q * 256;
        if (i >= n) return;
        const float v = x[i];
        float sum = 0;
        for (int k = 0; k < m; ++k) sum = sum * v + 1;
        y[i] = sum;
    }
}
