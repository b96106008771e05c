// The program ends while its kernels are still queued: they run, and what they do wrong is found.
#include <cstdlib>
__global__ void scale(float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef RIGHT
    if (i < n) x[i] *= 2;
#else
    if (i <= n) x[i] *= 2;  // FINDING out-of-bounds
#endif
}
static float* x = nullptr;
static struct Last {
    ~Last() { cudaFree(x); }
} last;
int main() {
    const int n = 1000;
    if (cudaMalloc(&x, n * sizeof(float)) != cudaSuccess) return 1;
    if (cudaMemset(x, 0, n * sizeof(float)) != cudaSuccess) return 1;
    for (int k = 0; k < 8; ++k) scale<<<4, 256>>>(x, n);
    return 0;
}
