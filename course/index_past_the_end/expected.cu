__global__ void turned(const int* in, int* out, int n) {
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x < n && y < n) out[x * n + y] = in[y * n + x];
}
