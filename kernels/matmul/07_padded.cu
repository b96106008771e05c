// A tile of A is kept transposed (as the register-tiled rungs want it): loaded along rows of A, stored down
// columns of the tile. With PAD = 0 the lanes of such a store meet in one bank; PAD = 1 moves each row of
// the tile one bank further and they spread over all banks.
#ifndef TILE
#define TILE 32
#endif
#ifndef PAD
#define PAD 1
#endif

extern "C" __global__ void matmul_padded(const float* A, const float* B, float* C, int M, int N, int K) {
    __shared__ float tile_a[TILE][TILE + PAD];  // [k][row]
    __shared__ float tile_b[TILE][TILE];        // [k][column]
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty;
    int col = blockIdx.x * TILE + tx;
    float sum = 0.0f;
    for (int begin = 0; begin < K; begin += TILE) {
        tile_a[tx][ty] = row < M && begin + tx < K ? A[row * K + begin + tx] : 0.0f;
        tile_b[ty][tx] = begin + ty < K && col < N ? B[(begin + ty) * N + col] : 0.0f;
        __syncthreads();
        for (int k = 0; k < TILE; ++k) sum += tile_a[k][ty] * tile_b[k][tx];
        __syncthreads();
    }
    if (row < M && col < N) C[row * N + col] = sum;
}
