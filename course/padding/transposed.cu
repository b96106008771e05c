// b = a transposed: a is M x N, b is N x M, both by rows. M and N are multiples of 32.
// A block of 32 x 8 threads moves one tile of 32 x 32 elements.
__global__ void transposed(const float* a, float* b, int M, int N) {
    __shared__ float tile[32][32];
    const int x = blockIdx.x * 32, y = blockIdx.y * 32;
    for (int r = threadIdx.y; r < 32; r += 8) tile[r][threadIdx.x] = a[(y + r) * N + x + threadIdx.x];
    __syncthreads();
    for (int r = threadIdx.y; r < 32; r += 8) b[(x + r) * M + y + threadIdx.x] = tile[threadIdx.x][r];
}
