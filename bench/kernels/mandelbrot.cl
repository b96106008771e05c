// The same kernel as mandelbrot.cu.
__kernel void mandelbrot(__global int* steps, int width, int height, float left, float top, float pitch, int limit) {
    int px = get_global_id(0);
    int py = get_global_id(1);
    if (px >= width || py >= height) return;
    float cx = fma((float)px, pitch, left);
    float cy = fma((float)py, pitch, top);
    float x = 0.0f, y = 0.0f;
    int i = 0;
    while (i < limit && fma(x, x, y * y) <= 4.0f) {
        float next = fma(x, x, fma(-y, y, cx));
        y = fma(2.0f * x, y, cy);
        x = next;
        ++i;
    }
    steps[py * width + px] = i;
}
