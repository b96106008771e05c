// A block makes a TILE x TILE square of C from squares of A and B that it stages in shared memory.
// Each element fetched from global memory is used TILE times.
#ifndef TILE
#define TILE 16
#endif

extern "C" __global__ void matmul_tiled(const float* A, const float* B, float* C, int M, int N, int K) {
    __shared__ float tile_a[TILE][TILE];
    __shared__ float tile_b[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty;
    int col = blockIdx.x * TILE + tx;
    float sum = 0.0f;
    for (int begin = 0; begin < K; begin += TILE) {
        // Outside the matrices stand zeros: they add nothing, and every thread reaches both barriers.
        tile_a[ty][tx] = row < M && begin + tx < K ? A[row * K + begin + tx] : 0.0f;
        tile_b[ty][tx] = begin + ty < K && col < N ? B[(begin + ty) * N + col] : 0.0f;
        __syncthreads();
        for (int k = 0; k < TILE; ++k) sum += tile_a[ty][k] * tile_b[k][tx];
        __syncthreads();
    }
    if (row < M && col < N) C[row * N + col] = sum;
}
