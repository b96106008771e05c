__global__ void running(const int* x, int* y) {
    if (threadIdx.x != 0) return;
    int sum = 0;
    for (int i = blockIdx.x * 256; i < (blockIdx.x + 1) * 256; ++i) y[i] = sum += x[i];
}
