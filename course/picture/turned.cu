__global__ void to_grey(const unsigned char* rgb, unsigned char* grey, int W, int H) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= W || y >= H) return;
    const int i = x * H + y;
    grey[y * W + x] = (rgb[3 * i] + 2 * rgb[3 * i + 1] + rgb[3 * i + 2]) / 4;
}
