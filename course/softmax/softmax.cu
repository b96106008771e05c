// y = softmax of each of the M rows of x, which have N elements: exp(x[j]) over the sum of all exp(x[k]) of the row.
// Blocks have 8 warps, and each warp has one row. Elements of x may be as large as 200.
__global__ void softmax(const float* x, float* y, int M, int N) {
    const int row = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= M || lane != 0) return;
    float sum = 0;
    for (int j = 0; j < N; ++j) sum += expf(x[row * N + j]);
    for (int j = 0; j < N; ++j) y[row * N + j] = expf(x[row * N + j]) / sum;
}
