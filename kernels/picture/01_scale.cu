// Each value of a picture times a factor, at most 255. The picture has `height` lines of `width` pixels, and `channels`
// values per pixel, side by side. A thread makes one pixel.
extern "C" __global__ void picture_scale(const unsigned char* in, unsigned char* out, int width, int height, int channels,
                                         float factor) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < height && col < width) {
        int pixel = (row * width + col) * channels;
        for (int c = 0; c < channels; ++c) {
            float value = factor * in[pixel + c];
            out[pixel + c] = value < 255.0f ? (unsigned char)(value + 0.5f) : 255;
        }
    }
}
