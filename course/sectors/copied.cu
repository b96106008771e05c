__global__ void copied(const float* x, float* y, int stride, int offset) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = x[i * stride + offset];
}
