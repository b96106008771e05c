// The naive kernel with one change: threadIdx.x walks down a column of C instead of along a row.
// Neighbouring lanes now read A and write C a whole row apart, so nothing coalesces.
extern "C" __global__ void matmul_naive_swapped(const float* A, const float* B, float* C, int M, int N, int K) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    int col = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= M || col >= N) return;
    float sum = 0.0f;
    for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + col];
    C[row * N + col] = sum;
}
