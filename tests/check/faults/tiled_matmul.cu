// The second barrier of a tile is missing: fast warps load the next tile over the one that slow warps still read.
// check: --grid 2x2 --block 16x16 --arg f32[32*32]=random --arg f32[32*32]=random --arg f32[32*32]=zero --arg 32
extern "C" __global__ void wrong(const float* a, const float* b, float* c, int n) {
    __shared__ float as[16][16], bs[16][16];
    int x = threadIdx.x, y = threadIdx.y, col = blockIdx.x * 16 + x, row = blockIdx.y * 16 + y;
    float sum = 0;
    for (int k = 0; k < n; k += 16) {
        as[y][x] = a[row * n + k + x];    // FINDING race-lanes
        bs[y][x] = b[(k + y) * n + col];  // FINDING race-shared race-lanes
        __syncthreads();
        for (int j = 0; j < 16; ++j)
            sum += as[y][j] * bs[j][x];
    }
    c[row * n + col] = sum;
}
extern "C" __global__ void right(const float* a, const float* b, float* c, int n) {
    __shared__ float as[16][16], bs[16][16];
    int x = threadIdx.x, y = threadIdx.y, col = blockIdx.x * 16 + x, row = blockIdx.y * 16 + y;
    float sum = 0;
    for (int k = 0; k < n; k += 16) {
        as[y][x] = a[row * n + k + x];
        bs[y][x] = b[(k + y) * n + col];
        __syncthreads();
        for (int j = 0; j < 16; ++j)
            sum += as[y][j] * bs[j][x];
        __syncthreads();
    }
    c[row * n + col] = sum;
}
