// uncoalesced_store: a matrix is written by columns; mended: through a tile of shared memory.
extern "C" __global__ void planted_store_columns(float* out, const float* in, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x, x = t % 512, y = t / 512, rows = n / 512;
    out[x * rows + y] = in[y * 512 + x];
}
extern "C" __global__ void mended_store_columns(float* out, const float* in, int n) {
    __shared__ float tile[16][17];
    int rows = n / 512, bx = blockIdx.x % 32, by = blockIdx.x / 32, tx = threadIdx.x % 16, ty = threadIdx.x / 16;
    tile[ty][tx] = in[(by * 16 + ty) * 512 + bx * 16 + tx];
    __syncthreads();
    out[(bx * 16 + ty) * rows + by * 16 + tx] = tile[tx][ty];
}
