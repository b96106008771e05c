__global__ void to_grey(const unsigned char* rgb, unsigned char* grey, int W, int H) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= W) return;
    const int i = y * W + x;
    grey[i] = (rgb[3 * i] + 2 * rgb[3 * i + 1] + rgb[3 * i + 2]) / 4;
}
