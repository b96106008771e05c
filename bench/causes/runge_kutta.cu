// double_precision: steps of Runge and Kutta with 1.0 / 6.0 in the sums of floats; mended: 1.0f / 6.0f.
__device__ float slope(float y) { return 0.5f * y - y * y; }
extern "C" __global__ void planted_runge_kutta(float* out, const float* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float y = in[i], h = 0.01f;
    for (int k = 0; k < 20; ++k) {
        float a = slope(y), b = slope(y + 0.5 * h * a), c = slope(y + 0.5 * h * b), d = slope(y + h * c);
        y += h * (1.0 / 6.0) * (a + 2.0 * b + 2.0 * c + d);
    }
    out[i] = y;
}
extern "C" __global__ void mended_runge_kutta(float* out, const float* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float y = in[i], h = 0.01f;
    for (int k = 0; k < 20; ++k) {
        float a = slope(y), b = slope(y + 0.5f * h * a), c = slope(y + 0.5f * h * b), d = slope(y + h * c);
        y += h * (1.0f / 6.0f) * (a + 2.0f * b + 2.0f * c + d);
    }
    out[i] = y;
}
