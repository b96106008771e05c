// steps[pixel] = iterations until escape, at most `limit`: the divergent kernel. Blocks of 16 x 16.
// Every rounding is spelled out with fmaf, so that all versions give the same integers.
extern "C" __global__ void mandelbrot(int* steps, int width, int height, float left, float top, float pitch, int limit) {
    int px = blockIdx.x * blockDim.x + threadIdx.x;
    int py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= width || py >= height) return;
    float cx = fmaf((float)px, pitch, left);
    float cy = fmaf((float)py, pitch, top);
    float x = 0.0f, y = 0.0f;
    int i = 0;
    while (i < limit && fmaf(x, x, y * y) <= 4.0f) {
        float next = fmaf(x, x, fmaf(-y, y, cx));
        y = fmaf(2.0f * x, y, cy);
        x = next;
        ++i;
    }
    steps[py * width + px] = i;
}
