__global__ void product(const float* a, const float* b, float* c, int N) {
    __shared__ float as[16][16], bs[16][16];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * 16 + ty, column = blockIdx.x * 16 + tx;
    float sum = 0;
    for (int z = 0; z < N; z += 16) {
        as[ty][tx] = row < N && z + tx < N ? a[row * N + z + tx] : 0;
        bs[ty][tx] = z + ty < N && column < N ? b[(z + ty) * N + column] : 0;
        __syncthreads();
        for (int k = 0; k < 16; ++k) sum += as[ty][k] * bs[k][tx];
    }
    if (row < N && column < N) c[row * N + column] = sum;
}
