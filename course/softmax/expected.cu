__global__ void softmax(const float* x, float* y, int M, int N) {
    const int row = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= M || lane != 0) return;
    float largest = x[row * N], sum = 0;
    for (int j = 1; j < N; ++j) largest = fmaxf(largest, x[row * N + j]);
    for (int j = 0; j < N; ++j) sum += expf(x[row * N + j] - largest);
    for (int j = 0; j < N; ++j) y[row * N + j] = expf(x[row * N + j] - largest) / sum;
}
