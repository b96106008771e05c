// Half of a buffer is never written, and is read in a copy of it.
#include <cstdio>
#include <vector>
__global__ void square(const int* in, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] * in[i];  // FINDING uninitialised
}
int main() {
    const int n = 512;
    int *a, *b, *c;
    std::vector<int> host(n, 3);
    if (cudaMalloc(&a, n * 4) || cudaMalloc(&b, n * 4) || cudaMalloc(&c, n * 4)) return 1;
    cudaMemcpy(a, host.data(), n * 2, cudaMemcpyHostToDevice);
#ifdef RIGHT
    cudaMemset(a + n / 2, 0, n * 2);
#endif
    cudaMemcpy2D(b, 64, a, 64, 64, n * 4 / 64, cudaMemcpyDeviceToDevice);
    square<<<2, 256>>>(b, c, n);
    cudaMemcpy(host.data(), c, n * 4, cudaMemcpyDeviceToHost);
    std::printf("%d\n", host[0]);
    cudaFree(a), cudaFree(b), cudaFree(c);
    return host[0] == 9 ? 0 : 1;
}
