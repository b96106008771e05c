__global__ void positives(const int* x, volatile int* count, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && x[i] > 0) count[0] = count[0] + 1;
}
