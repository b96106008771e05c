// Kernels that launch kernels: bugs are in the grids they launch. A parent's writes before a launch, and a child's before its
// parent's tail, are in order.
#include <cstdio>
#include <vector>
__global__ void sum(const int* in, int* out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = in[t];
#ifdef RIGHT
    __syncthreads();
#endif
    if (t == 0) *out = s[63];  // FINDING race-shared
}
__global__ void copy(const int* in, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i];  // FINDING out-of-bounds
}
__global__ void last(int* out) { out[1] += out[0]; }
__global__ void parent(int* in, int* out, int* more) {
    in[threadIdx.x] = 1;
    __syncthreads();
    if (threadIdx.x) return;
    sum<<<1, 64>>>(in, out);
#ifdef RIGHT
    copy<<<2, 32>>>(in, more, 64);
#else
    copy<<<3,
           32>>>(in, more, 65);
#endif
    last<<<1, 1, 0, cudaStreamTailLaunch>>>(out);
}
int main() {
    int *in, *out, *more;
    cudaMalloc(&in, 256);
    cudaMalloc(&out, 8);
    cudaMalloc(&more, 256);
    cudaMemset(in, 0, 256);
    cudaMemset(out, 0, 8);
    parent<<<1, 64>>>(in, out, more);
    std::vector<int> h(64);
    cudaMemcpy(h.data(), more, 256, cudaMemcpyDeviceToHost);
    cudaFree(in);
    cudaFree(out);
    cudaFree(more);
    return 0;
}
