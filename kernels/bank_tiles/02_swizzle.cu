// Transposes 32 x 32 tiles; element (r, c) of the tile lies at column c ^ r.
extern "C" __global__ void swizzle(const float* a, float* b, unsigned m, unsigned n) {
    __shared__ float tile[32 * 32];
    const unsigned x = blockIdx.x * 32, y = blockIdx.y * 32;
    for (unsigned r = threadIdx.y; r < 32; r += 8) tile[r * 32 + (threadIdx.x ^ r)] = a[(y + r) * n + x + threadIdx.x];
    __syncthreads();
    for (unsigned r = threadIdx.y; r < 32; r += 8) b[(x + r) * m + y + threadIdx.x] = tile[threadIdx.x * 32 + (r ^ threadIdx.x)];
}
