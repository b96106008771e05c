__global__ void reversed(const int* x, int* y) {
    __shared__ int tile[256];
    const int t = threadIdx.x, first = blockIdx.x * 256;
    tile[t] = x[first + t];
    __syncwarp();
    y[first + t] = tile[255 - t];
}
