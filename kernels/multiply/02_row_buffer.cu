// A row of A is kept in shared memory while elements of the same row of C are made. blockIdx.x is the row; the row's
// columns are shared out to gridDim.y blocks, whose threads take them in turns.
#ifndef UNROLL
#define UNROLL 1
#endif
constexpr int kUnroll = UNROLL;

extern "C" __global__ void multiply_row_buffer(const float* A, const float* B, float* C, int N) {
    extern __shared__ float row_of_a[];  // N elements
    int row = blockIdx.x;
    for (int k = threadIdx.x; k < N; k += blockDim.x) row_of_a[k] = A[row * N + k];
    __syncthreads();
    for (int col = blockIdx.y * blockDim.x + threadIdx.x; col < N; col += gridDim.y * blockDim.x) {
        float sum = 0.0f;
#pragma unroll kUnroll
        for (int k = 0; k < N; ++k) sum += row_of_a[k] * B[k * N + col];
        C[row * N + col] = sum;
    }
}
