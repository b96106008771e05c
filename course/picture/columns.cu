__global__ void to_grey(const unsigned char* rgb, unsigned char* grey, int W, int H) {
    const int y = blockIdx.x * blockDim.x + threadIdx.x, x = blockIdx.y * blockDim.y + threadIdx.y;
    const int i = y * W + x;
    grey[i] = (rgb[3 * i] + 2 * rgb[3 * i + 1] + rgb[3 * i + 2]) / 4;
}
