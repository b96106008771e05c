// C = A B for N x N matrices from tiles in shared memory whose size is known to the compiler. With SHOW each block also
// writes down what its tiles hold in each phase: SHOW[phase][tile of A, tile of B][row][column], block after block.
#ifndef TILE
#define TILE 16
#endif

extern "C" __global__ void tiles_static(const float* A, const float* B, float* C, int N
#ifdef SHOW
                                        , float* show
#endif
) {
    __shared__ float tile_a[TILE][TILE];
    __shared__ float tile_b[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty;
    int col = blockIdx.x * TILE + tx;
    int phases = (N + TILE - 1) / TILE;
    float sum = 0.0f;
    for (int phase = 0; phase < phases; ++phase) {
        int a_col = phase * TILE + tx;
        int b_row = phase * TILE + ty;
        tile_a[ty][tx] = row < N && a_col < N ? A[row * N + a_col] : 0.0f;
        tile_b[ty][tx] = b_row < N && col < N ? B[b_row * N + col] : 0.0f;
        __syncthreads();
#ifdef SHOW
        int block = blockIdx.y * gridDim.x + blockIdx.x;
        float* now = show + (block * phases + phase) * 2 * TILE * TILE;
        now[ty * TILE + tx] = tile_a[ty][tx];
        now[TILE * TILE + ty * TILE + tx] = tile_b[ty][tx];
#endif
        for (int k = 0; k < TILE; ++k) sum += tile_a[ty][k] * tile_b[k][tx];
        __syncthreads();
    }
    if (row < N && col < N) C[row * N + col] = sum;
}
