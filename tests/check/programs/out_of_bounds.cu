// The last thread writes one element too many.
#include <cstdio>
__global__ void scale(float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef RIGHT
    if (i < n) x[i] *= 2;
#else
    if (i <= n) x[i] *= 2;  // FINDING out-of-bounds
#endif
}
int main() {
    const int n = 1000;
    float host[n], *x = nullptr;
    for (int i = 0; i < n; ++i) host[i] = i;
    if (cudaMalloc(&x, n * sizeof(float)) != cudaSuccess) return 1;
    if (cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice) != cudaSuccess) return 1;
    scale<<<4, 256>>>(x, n);
    if (cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
    std::printf("%g\n", host[n - 1]);
    return cudaFree(x) == cudaSuccess && host[n - 1] == 2 * (n - 1) ? 0 : 1;
}
