// C = A B for N x N matrices, stored by rows; N is any number.
// A block of 16 x 16 threads has 16 x 16 elements of C; the grid is rounded up, so blocks at the edges reach beyond C.
__global__ void product(const float* a, const float* b, float* c, int N) {
    const int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
    if (row >= N || column >= N) return;
    float sum = 0;
    for (int k = 0; k < N; ++k) sum += a[row * N + k] * b[k * N + column];
    c[row * N + column] = sum;
}
