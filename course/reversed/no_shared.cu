__global__ void reversed(const int* x, int* y) {
    const int t = threadIdx.x, first = blockIdx.x * 256;
    y[first + t] = x[first + 255 - t];
}
