// c[i] = a[i] + b[i] for all i from 0 to n - 1.
// The grid has n / 256 blocks of 256 threads, and every thread runs this function. Here only one of them works.
__global__ void added(const float* a, const float* b, float* c, int n) {
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        for (int i = 0; i < n; ++i) c[i] = a[i] + b[i];
    }
}
