// The 2-D register tile with 16-byte accesses: float4 from global memory, float4 from and to shared memory.
// Rows whose length is no multiple of 4 do not start on 16 bytes; such sizes take scalar accesses instead
// (the choice is the same for every thread of the launch).
#ifndef TILE
#define TILE 64
#endif
#define PER (TILE / 16)  // a multiple of 4
#define TILE_K 8
#define THREADS 256

// Four elements of a row from `column` on; zeros outside the matrix.
static __device__ float4 four(const float* matrix, int rows, int columns, int row, int column, bool aligned) {
    float4 v = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    if (row >= rows) return v;
    const float* p = matrix + row * columns + column;
    if (aligned) {  // columns is a multiple of 4: all four are inside, or none
        if (column < columns) v = *reinterpret_cast<const float4*>(p);
        return v;
    }
    if (column < columns) v.x = p[0];
    if (column + 1 < columns) v.y = p[1];
    if (column + 2 < columns) v.z = p[2];
    if (column + 3 < columns) v.w = p[3];
    return v;
}

extern "C" __global__ void matmul_vectorised(const float* A, const float* B, float* C, int M, int N, int K) {
    __shared__ __align__(16) float tile_a[TILE_K][TILE + 4];  // transposed; padded by 4 to stay aligned
    __shared__ __align__(16) float tile_b[TILE_K][TILE];
    int t = threadIdx.x;
    int tx = t % 16, ty = t / 16;
    int row0 = blockIdx.y * TILE, col0 = blockIdx.x * TILE;
    bool aligned_a = K % 4 == 0, aligned_b = N % 4 == 0;
    float sum[PER][PER] = {};
    for (int begin = 0; begin < K; begin += TILE_K) {
        for (int i = t; i < TILE * TILE_K / 4; i += THREADS) {
            int row = i / (TILE_K / 4), k = i % (TILE_K / 4) * 4;
            float4 v = four(A, M, K, row0 + row, begin + k, aligned_a);
            tile_a[k][row] = v.x;
            tile_a[k + 1][row] = v.y;
            tile_a[k + 2][row] = v.z;
            tile_a[k + 3][row] = v.w;
        }
        for (int i = t; i < TILE * TILE_K / 4; i += THREADS) {
            int k = i / (TILE / 4), col = i % (TILE / 4) * 4;
            *reinterpret_cast<float4*>(&tile_b[k][col]) = four(B, K, N, begin + k, col0 + col, aligned_b);
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TILE_K; ++k) {
            float a[PER], b[PER];
            // Groups of four stand 64 apart, so that each access is one float4.
#pragma unroll
            for (int g = 0; g < PER; g += 4) {
                *reinterpret_cast<float4*>(&a[g]) = *reinterpret_cast<const float4*>(&tile_a[k][ty * 4 + g * 16]);
                *reinterpret_cast<float4*>(&b[g]) = *reinterpret_cast<const float4*>(&tile_b[k][tx * 4 + g * 16]);
            }
#pragma unroll
            for (int i = 0; i < PER; ++i)
#pragma unroll
                for (int j = 0; j < PER; ++j) sum[i][j] += a[i] * b[j];
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < PER; ++i) {
        int row = row0 + ty * 4 + i / 4 * 64 + i % 4;
        if (row >= M) continue;
#pragma unroll
        for (int g = 0; g < PER; g += 4) {
            int col = col0 + tx * 4 + g * 16;
            float* p = C + row * N + col;
            if (aligned_b) {
                if (col < N) *reinterpret_cast<float4*>(p) = make_float4(sum[i][g], sum[i][g + 1], sum[i][g + 2], sum[i][g + 3]);
            } else {
#pragma unroll
                for (int j = 0; j < 4; ++j)
                    if (col + j < N) p[j] = sum[i][g + j];
            }
        }
    }
}
