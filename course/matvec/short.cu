__global__ void matvec(const int* A, const int* x, int* y, int M, int N) {
    const int row = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row < M) {
        int sum = 0;
        for (int c = lane; c < N; c += 32) sum += A[row * N + c] * x[c];
        for (int s = 8; s > 0; s /= 2) sum += __shfl_down_sync(0xffffffff, sum, s);
        if (lane == 0) y[row] = sum;
    }
}
