// Block by block: S x S threads load a square of A and a square of B into shared memory, add their products, and go on to
// the next pair until the row of squares is done.
#ifndef S
#define S 16
#endif
#ifndef UNROLL
#define UNROLL 1
#endif
constexpr int kUnroll = UNROLL;

extern "C" __global__ void multiply_blocks(const float* A, const float* B, float* C, int N) {
    __shared__ float square_a[S][S];
    __shared__ float square_b[S][S];
    int i = threadIdx.y, j = threadIdx.x;
    int row = blockIdx.y * S + i;
    int col = blockIdx.x * S + j;
    float sum = 0.0f;
    for (int z = 0; z < N; z += S) {
        // What lies outside the matrices is zero: it adds nothing, and no thread misses a barrier.
        square_a[i][j] = row < N && z + j < N ? A[row * N + z + j] : 0.0f;
        square_b[i][j] = z + i < N && col < N ? B[(z + i) * N + col] : 0.0f;
        __syncthreads();
#pragma unroll kUnroll
        for (int k = 0; k < S; ++k) sum += square_a[i][k] * square_b[k][j];
        __syncthreads();
    }
    if (row < N && col < N) C[row * N + col] = sum;
}
