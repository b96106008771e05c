// C = A B for square matrices of N x N, row-major. A block of S x S threads makes a square of C, one element per thread;
// every operand comes from global memory. SWAPPED = 1 lets threadIdx.x walk down a column of C instead of along a row.
#ifndef UNROLL
#define UNROLL 1
#endif
#ifndef SWAPPED
#define SWAPPED 0
#endif
constexpr int kUnroll = UNROLL;  // the pragma takes a constant, not a macro

extern "C" __global__ void multiply_naive(const float* A, const float* B, float* C, int N) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int row = SWAPPED ? x : y;
    int col = SWAPPED ? y : x;
    if (row >= N || col >= N) return;
    float sum = 0.0f;
#pragma unroll kUnroll
    for (int k = 0; k < N; ++k) sum += A[row * N + k] * B[k * N + col];
    C[row * N + col] = sum;
}
