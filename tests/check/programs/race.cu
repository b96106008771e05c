// A reduction in shared memory whose rounds are not kept apart.
#include <cstdio>
#include <vector>
__global__ void sum(const int* in, int* out) {
    __shared__ int s[256];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (int k = 128; k > 0; k /= 2) {
        if (t < k) s[t] += s[t + k];  // FINDING race-shared race-lanes
#ifdef RIGHT
        __syncthreads();
#endif
    }
    if (t == 0) out[blockIdx.x] = s[0];
}
int main() {
    std::vector<int> in(1024, 1), out(4);
    int *a, *b;
    cudaMalloc(&a, in.size() * 4);
    cudaMalloc(&b, out.size() * 4);
    cudaMemcpy(a, in.data(), in.size() * 4, cudaMemcpyHostToDevice);
    sum<<<4, 256>>>(a, b);
    cudaMemcpy(out.data(), b, out.size() * 4, cudaMemcpyDeviceToHost);
    cudaFree(a);
    cudaFree(b);
    return 0;
}
