// A thread makes a column of ROWS elements of C and keeps their sums in registers: one element of B,
// read once from shared memory, serves ROWS multiply-adds.
#define TILE_M 64
#define TILE_N 64
#define TILE_K 8
#define ROWS 8  // TILE_M * TILE_N / ROWS = 512 threads

extern "C" __global__ void matmul_register_1d(const float* A, const float* B, float* C, int M, int N, int K) {
    __shared__ float tile_a[TILE_M][TILE_K];
    __shared__ float tile_b[TILE_K][TILE_N];
    int t = threadIdx.x;
    int col = blockIdx.x * TILE_N + t % TILE_N;
    int top = blockIdx.y * TILE_M + t / TILE_N * ROWS;
    // 512 threads fetch exactly one element of each tile.
    int a_row = blockIdx.y * TILE_M + t / TILE_K, a_k = t % TILE_K;
    int b_k = t / TILE_N;
    float sum[ROWS] = {};
    for (int begin = 0; begin < K; begin += TILE_K) {
        tile_a[t / TILE_K][a_k] = a_row < M && begin + a_k < K ? A[a_row * K + begin + a_k] : 0.0f;
        tile_b[b_k][t % TILE_N] = begin + b_k < K && col < N ? B[(begin + b_k) * N + col] : 0.0f;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TILE_K; ++k) {
            float b = tile_b[k][t % TILE_N];
#pragma unroll
            for (int r = 0; r < ROWS; ++r) sum[r] += tile_a[t / TILE_N * ROWS + r][k] * b;
        }
        __syncthreads();
    }
#pragma unroll
    for (int r = 0; r < ROWS; ++r)
        if (top + r < M && col < N) C[(top + r) * N + col] = sum[r];
}
