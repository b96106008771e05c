// C = A * B for N x N matrices by rows; N is a multiple of 16. A block of 16 x 16 threads computes 16 x 16 elements of C.
__global__ void product(const float* A, const float* B, float* C, int N) {
    const int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < N; ++k) sum += A[row * N + k] * B[k * N + column];
    C[row * N + column] = sum;
}
