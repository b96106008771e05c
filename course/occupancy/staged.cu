__global__ void staged(const float* x, float* y) {
    __shared__ float words[WORDS];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    words[threadIdx.x] = x[i];
    __syncthreads();
    y[i] = words[blockDim.x - 1 - threadIdx.x];
}
