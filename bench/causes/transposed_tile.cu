// bank_conflicts: a product whose second tile is kept transposed and read along its rows by the lanes; mended: padded.
// block 32x32; grid 8x8
extern "C" __global__ void planted_transposed_tile(float* c, const float* ab, int n) {
    __shared__ float as[32][32], bs[32][32];
    const float *a = ab, *b = ab + 65536;
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 32 + y, col = blockIdx.x * 32 + x;
    float sum = 0.0f;
    for (int t = 0; t < 8; ++t) {
        as[y][x] = a[row * 256 + t * 32 + x];
        bs[x][y] = b[(t * 32 + y) * 256 + col];
        __syncthreads();
        for (int k = 0; k < 32; ++k) sum += as[y][k] * bs[x][k];
        __syncthreads();
    }
    c[row * 256 + col] = sum;
}
extern "C" __global__ void mended_transposed_tile(float* c, const float* ab, int n) {
    __shared__ float as[32][32], bs[32][33];
    const float *a = ab, *b = ab + 65536;
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 32 + y, col = blockIdx.x * 32 + x;
    float sum = 0.0f;
    for (int t = 0; t < 8; ++t) {
        as[y][x] = a[row * 256 + t * 32 + x];
        bs[x][y] = b[(t * 32 + y) * 256 + col];
        __syncthreads();
        for (int k = 0; k < 32; ++k) sum += as[y][k] * bs[x][k];
        __syncthreads();
    }
    c[row * 256 + col] = sum;
}
