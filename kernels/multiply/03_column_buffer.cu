// A column of B is kept in shared memory while elements of the same column of C are made: the mirror image of the row
// buffer. Neighbouring threads now stand a whole row apart in A and in C.
#ifndef UNROLL
#define UNROLL 1
#endif
constexpr int kUnroll = UNROLL;

extern "C" __global__ void multiply_column_buffer(const float* A, const float* B, float* C, int N) {
    extern __shared__ float column_of_b[];  // N elements
    int col = blockIdx.x;
    for (int k = threadIdx.x; k < N; k += blockDim.x) column_of_b[k] = B[k * N + col];
    __syncthreads();
    for (int row = blockIdx.y * blockDim.x + threadIdx.x; row < N; row += gridDim.y * blockDim.x) {
        float sum = 0.0f;
#pragma unroll kUnroll
        for (int k = 0; k < N; ++k) sum += A[row * N + k] * column_of_b[k];
        C[row * N + col] = sum;
    }
}
