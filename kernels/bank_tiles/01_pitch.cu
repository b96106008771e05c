// Transposes 32 x 32 tiles; a row of the tile takes `pitch` words.
extern "C" __global__ void pitch(const float* a, float* b, unsigned m, unsigned n, unsigned pitch) {
    __shared__ float tile[32 * 48];
    const unsigned x = blockIdx.x * 32, y = blockIdx.y * 32;
    for (unsigned r = threadIdx.y; r < 32; r += 8) tile[r * pitch + threadIdx.x] = a[(y + r) * n + x + threadIdx.x];
    __syncthreads();
    for (unsigned r = threadIdx.y; r < 32; r += 8) b[(x + r) * m + y + threadIdx.x] = tile[threadIdx.x * pitch + r];
}
