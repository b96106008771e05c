__global__ void turned(const int* in, int* out, int n) {
    __shared__ int tile[32][32];
    for (int r = threadIdx.y; r < 32; r += 8) tile[r][threadIdx.x] = 0;
    __syncthreads();
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x < n && y < n) tile[threadIdx.x][threadIdx.y] = in[y * n + x];
    __syncthreads();
    // This thread writes element (X, Y) of the turned picture: its neighbour in x takes the next X.
    const int k = threadIdx.y * 32 + threadIdx.x;
    const int X = blockIdx.y * 8 + k % 8, Y = blockIdx.x * 32 + k / 8;
    if (X < n && Y < n) out[Y * n + X] = tile[k % 8][k / 8];
}
