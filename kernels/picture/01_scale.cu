// Each value of a picture times a factor, at most 255. The picture is `width` values wide (channels lie side by side) and
// `height` lines high; a thread makes one value.
extern "C" __global__ void picture_scale(const unsigned char* in, unsigned char* out, int width, int height, float factor) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < height && col < width) {
        float value = factor * in[row * width + col];
        out[row * width + col] = value < 255.0f ? (unsigned char)(value + 0.5f) : 255;
    }
}
