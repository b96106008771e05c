__global__ void transposed(const float* a, float* b, int M, int N) {
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32;
    for (int r = threadIdx.y; r < 32; r += 8) b[x * M + y + r] = a[(y + r) * N + x];
}
