// narrow_access: colours of three bytes are read and written byte by byte; mended: four colours as three words.
extern "C" __global__ void planted_pixels(unsigned char* out, const unsigned char* in, int n) {
    const int i = blockIdx.x * 256 + threadIdx.x;
    const unsigned char r = in[3 * i], g = in[3 * i + 1], b = in[3 * i + 2];
    out[3 * i] = 255 - r, out[3 * i + 1] = 255 - g, out[3 * i + 2] = 255 - b;
}
extern "C" __global__ void mended_pixels(unsigned* out, const unsigned* in, int n) {
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= 1048576 / 4) return;
    const unsigned x = in[3 * i], y = in[3 * i + 1], z = in[3 * i + 2];
    out[3 * i] = ~x, out[3 * i + 1] = ~y, out[3 * i + 2] = ~z;
}
// planted_grid 4096; mended_grid 1024
