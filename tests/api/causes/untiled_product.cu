// no_reuse: each element of a product reads a row and a column; mended: tiles in shared memory, four results per thread.
// grid 1024; mended_grid 64; matrices of 512 columns
extern "C" __global__ void planted_untiled_product(float* c, const float* a, int n) {
    const float* b = a + 512 * 512;
    int x = (blockIdx.x % 32) * 16 + threadIdx.x % 16, y = (blockIdx.x / 32 % 32) * 16 + threadIdx.x / 16;
    float sum = 0;
    for (int k = 0; k < 512; ++k) sum += a[y * 512 + k] * b[k * 512 + x];
    c[y * 512 + x] = sum;
}
extern "C" __global__ void mended_untiled_product(float* c, const float* a, int n) {
    __shared__ float ta[64][17], tb[16][64];
    const float* b = a + 512 * 512;
    int bx = blockIdx.x % 8 * 64, by = blockIdx.x / 8 % 8 * 64, tx = threadIdx.x % 16, ty = threadIdx.x / 16;
    float sum[4][4] = {};
    for (int z = 0; z < 512; z += 16) {
        for (int k = 0; k < 4; ++k) {
            ta[ty + 16 * k][tx] = a[(by + ty + 16 * k) * 512 + z + tx];
            tb[ty][tx + 16 * k] = b[(z + ty) * 512 + bx + tx + 16 * k];
        }
        __syncthreads();
        for (int k = 0; k < 16; ++k)
            for (int p = 0; p < 4; ++p)
                for (int q = 0; q < 4; ++q) sum[p][q] += ta[ty + 16 * p][k] * tb[k][tx + 16 * q];
        __syncthreads();
    }
    for (int p = 0; p < 4; ++p)
        for (int q = 0; q < 4; ++q) c[(by + ty + 16 * p) * 512 + bx + tx + 16 * q] = sum[p][q];
}
