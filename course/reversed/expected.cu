__global__ void reversed(const int* x, int* y) {
    y[blockIdx.x * 256 + 255 - threadIdx.x] = x[blockIdx.x * 256 + threadIdx.x];
}
