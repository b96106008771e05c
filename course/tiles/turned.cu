__global__ void product(const float* A, const float* B, float* C, int N) {
    __shared__ float a[16][16], b[16][16];
    const int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 16 + ty, column = blockIdx.x * 16 + tx;
    float sum = 0;
    for (int p = 0; p < N / 16; ++p) {
        a[ty][tx] = A[row * N + p * 16 + tx];
        b[ty][tx] = B[(p * 16 + ty) * N + column];
        __syncthreads();
        for (int k = 0; k < 16; ++k) sum += a[ty][k] * b[tx][k];
        __syncthreads();
    }
    C[row * N + column] = sum;
}
