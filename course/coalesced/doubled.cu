// y[i] = 2 * x[i] for all i from 0 to n - 1, four elements for each thread.
// Blocks have 256 threads; block b has the elements from 1024 * b on.
__global__ void doubled(const float* x, float* y, int n) {
    for (int k = 0; k < 4; ++k) {
        const int i = blockIdx.x * 1024 + threadIdx.x * 4 + k;
        if (i < n) y[i] = 2 * x[i];
    }
}
