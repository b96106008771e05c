// The tiled kernel with the inner loop unrolled exactly UNROLL times (1: not at all).
// UNROLL divides TILE, so no remainder loop is left.
#ifndef TILE
#define TILE 16
#endif
#ifndef UNROLL
#define UNROLL 4
#endif
static_assert(TILE % UNROLL == 0, "UNROLL must divide TILE");
constexpr int kUnroll = UNROLL;  // the pragma takes a constant, not a macro

extern "C" __global__ void matmul_tiled_unrolled(const float* A, const float* B, float* C, int M, int N, int K) {
    __shared__ float tile_a[TILE][TILE];
    __shared__ float tile_b[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty;
    int col = blockIdx.x * TILE + tx;
    float sum = 0.0f;
    for (int begin = 0; begin < K; begin += TILE) {
        tile_a[ty][tx] = row < M && begin + tx < K ? A[row * K + begin + tx] : 0.0f;
        tile_b[ty][tx] = begin + ty < K && col < N ? B[(begin + ty) * N + col] : 0.0f;
        __syncthreads();
#pragma unroll kUnroll
        for (int k = 0; k < TILE; ++k) sum += tile_a[ty][k] * tile_b[k][tx];
        __syncthreads();
    }
    if (row < M && col < N) C[row * N + col] = sum;
}
