// Tiles of 96 x 96: 72 KiB of shared memory, more than a kernel may declare. Only dynamic shared memory can be so large, and
// only where the program asks for it. 32 x 32 threads make 3 x 3 elements each.
#define TILE 96
#define PER 3

extern "C" __global__ void tiles_large(const float* A, const float* B, float* C, int N) {
    extern __shared__ float shared[];
    float* tile_a = shared;
    float* tile_b = shared + TILE * TILE;
    int tx = threadIdx.x, ty = threadIdx.y;
    int top = blockIdx.y * TILE, left = blockIdx.x * TILE;
    float sum[PER][PER] = {};
    for (int begin = 0; begin < N; begin += TILE) {
        for (int i = ty; i < TILE; i += 32)
            for (int j = tx; j < TILE; j += 32) {
                tile_a[i * TILE + j] = top + i < N && begin + j < N ? A[(top + i) * N + begin + j] : 0.0f;
                tile_b[i * TILE + j] = begin + i < N && left + j < N ? B[(begin + i) * N + left + j] : 0.0f;
            }
        __syncthreads();
        for (int k = 0; k < TILE; ++k) {
            float a[PER], b[PER];
#pragma unroll
            for (int i = 0; i < PER; ++i) {
                a[i] = tile_a[(ty + 32 * i) * TILE + k];
                b[i] = tile_b[k * TILE + tx + 32 * i];
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
            int row = top + ty + 32 * i, col = left + tx + 32 * j;
            if (row < N && col < N) C[row * N + col] = sum[i][j];
        }
}
