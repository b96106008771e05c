// Four kernels whose profiles are read; which is which does not matter to the exercise.
__global__ void first(const float* x, float* y, int n) {
    const int i = blockIdx.x * 256 + threadIdx.x;
    y[i] = x[i % 256 * 256 + i / 256] + 1;
}
__global__ void second(const float* x, float* y, int n) {
    __shared__ float tile[32][32];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, i = blockIdx.x * 256 + threadIdx.x;
    for (int r = warp; r < 32; r += 8) tile[r][lane] = x[i] + r;
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < 32; ++k) sum += tile[lane][(k + warp) % 32];
    y[i] = sum;
}
__global__ void third(const float* x, float* y, int n) {
    const int i = blockIdx.x * 256 + threadIdx.x;
    float v = x[i];
    for (int k = 0; k < 32; ++k) v = v * 0.5 + 1.0;
    y[i] = v;
}
__global__ void fourth(const float* x, float* y, int n) {
    const int i = blockIdx.x * 256 + threadIdx.x;
    float v = x[i];
    if (threadIdx.x % 4 == 0)
        for (int k = 0; k < n / 256; ++k) v = v * 0.5f + 1.0f;
    y[i] = v;
}
