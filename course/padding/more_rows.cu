__global__ void transposed(const float* a, float* b, int M, int N) {
    __shared__ float tile[33][32];
    const int x = blockIdx.x * 32, y = blockIdx.y * 32;
    for (int r = threadIdx.y; r < 32; r += 8) tile[r][threadIdx.x] = a[(y + r) * N + x + threadIdx.x];
    __syncthreads();
    for (int r = threadIdx.y; r < 32; r += 8) b[(x + r) * M + y + threadIdx.x] = tile[threadIdx.x][r];
}
