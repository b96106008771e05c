__global__ void floats(const float* x, float* y, int offset) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = x[i + offset];
}

__global__ void doubles(const double* d, double* e, int offset) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    e[i] = d[i + offset];
}

__global__ void rows(const float* x, float* y, int pitch) {
    const int row = blockIdx.x * blockDim.y + threadIdx.y;
    y[row * 32 + threadIdx.x] = x[row * pitch + threadIdx.x];
}
