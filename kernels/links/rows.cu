// Some rows of a product C = A B: what one of several devices does. `rows` and n are any number.
#define TILE 16
extern "C" __global__ void rows_of_product(const float* a, const float* b, float* c, int rows, int n) {
    __shared__ float as[TILE][TILE], bs[TILE][TILE];
    const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    float sum = 0;
    for (int k = 0; k < n; k += TILE) {
        as[y][x] = row < rows && k + x < n ? a[(size_t)row * n + k + x] : 0.0f;
        bs[y][x] = k + y < n && column < n ? b[(size_t)(k + y) * n + column] : 0.0f;
        __syncthreads();
        for (int i = 0; i < TILE; ++i) sum += as[y][i] * bs[i][x];
        __syncthreads();
    }
    if (row < rows && column < n) c[(size_t)row * n + column] = sum;
}
