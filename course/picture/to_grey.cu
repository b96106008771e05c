// grey = (red + 2 * green + blue) / 4 for each of W x H pixels, which lie by rows; a pixel of rgb has three bytes.
// Blocks have 32 x 8 threads.
__global__ void to_grey(const unsigned char* rgb, unsigned char* grey, int W, int H) {
    // Write here.
}
