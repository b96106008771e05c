// y = A x; A has M rows of N elements, one row behind the other. A block has 256 threads and 8 rows; here 8 of its threads
// have a row each.
__global__ void matvec(const int* A, const int* x, int* y, int M, int N) {
    const int row = blockIdx.x * 8 + threadIdx.x;
    if (threadIdx.x >= 8 || row >= M) return;
    int sum = 0;
    for (int c = 0; c < N; ++c) sum += A[row * N + c] * x[c];
    y[row] = sum;
}
