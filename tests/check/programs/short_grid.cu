// One block too few: the last elements are never written, and the host copies them.
#include <cstdio>
#include <vector>
__global__ void fill(int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = i;
}
int main() {
    const int n = 1000, threads = 256;
    std::vector<int> host(n);
    int* squares = nullptr;
    if (cudaMalloc(&squares, n * sizeof(int)) != cudaSuccess) return 1;
#ifdef RIGHT
    fill<<<(n + threads - 1) / threads, threads>>>(squares, n);
#else
    fill<<<n / threads, threads>>>(squares, n);
#endif
    cudaMemcpy(host.data(), squares, n * sizeof(int), cudaMemcpyDeviceToHost);  // FINDING unwritten-copy
    std::printf("%d\n", host[0]);
    return cudaFree(squares) == cudaSuccess ? 0 : 1;
}
