__global__ void softmax(const float* x, float* y, int M, int N) {
    const int row = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= M) return;
    float largest = -INFINITY, sum = 0;
    for (int j = lane; j < N; j += 32) largest = fmaxf(largest, x[row * N + j]);
    for (int s = 16; s > 0; s /= 2) largest = fmaxf(largest, __shfl_down_sync(0xffffffff, largest, s));
    for (int j = lane; j < N; j += 32) sum += expf(x[row * N + j] - largest);
    for (int s = 16; s > 0; s /= 2) sum += __shfl_down_sync(0xffffffff, sum, s);
    for (int j = lane; j < N; j += 32) y[row * N + j] = expf(x[row * N + j] - largest) / sum;
}
