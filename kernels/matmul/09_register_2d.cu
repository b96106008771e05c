// A thread makes a PER x PER square of C: per step it reads PER elements of A and PER of B from shared memory
// and makes PER * PER multiply-adds of them. 16 x 16 threads, so a block makes a TILE x TILE square.
#ifndef TILE
#define TILE 64
#endif
#define PER (TILE / 16)
#define TILE_K 8
#define THREADS 256

extern "C" __global__ void matmul_register_2d(const float* A, const float* B, float* C, int M, int N, int K) {
    __shared__ float tile_a[TILE_K][TILE + 4];  // transposed; padded so that 8 rows times 4 columns fill 32 banks
    __shared__ float tile_b[TILE_K][TILE];
    int t = threadIdx.x;
    int tx = t % 16, ty = t / 16;
    int row0 = blockIdx.y * TILE, col0 = blockIdx.x * TILE;
    float sum[PER][PER] = {};
    for (int begin = 0; begin < K; begin += TILE_K) {
#pragma unroll
        for (int i = t; i < TILE * TILE_K; i += THREADS) {
            int row = row0 + i / TILE_K, k = begin + i % TILE_K;
            tile_a[i % TILE_K][i / TILE_K] = row < M && k < K ? A[row * K + k] : 0.0f;
        }
#pragma unroll
        for (int i = t; i < TILE * TILE_K; i += THREADS) {
            int k = begin + i / TILE, col = col0 + i % TILE;
            tile_b[i / TILE][i % TILE] = k < K && col < N ? B[k * N + col] : 0.0f;
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TILE_K; ++k) {
            float a[PER], b[PER];
            // A thread's rows and columns stand 16 apart, so that lanes read neighbouring words.
#pragma unroll
            for (int i = 0; i < PER; ++i) {
                a[i] = tile_a[k][ty + 16 * i];
                b[i] = tile_b[k][tx + 16 * i];
            }
#pragma unroll
            for (int i = 0; i < PER; ++i)
#pragma unroll
                for (int j = 0; j < PER; ++j) sum[i][j] += a[i] * b[j];
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < PER; ++i)
#pragma unroll
        for (int j = 0; j < PER; ++j) {
            int row = row0 + ty + 16 * i, col = col0 + tx + 16 * j;
            if (row < M && col < N) C[row * N + col] = sum[i][j];
        }
}
