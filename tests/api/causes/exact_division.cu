// slow_math: a division in each turn; mended: one reciprocal before the loop.
extern "C" __global__ void planted_exact_division(float* out, const float* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float d = in[i] + 3.0f, x = 0, y = 1;
    for (int k = 0; k < 60; ++k) x += (y + k) / d, y = x / (d + 1);
    out[i] = x;
}
extern "C" __global__ void mended_exact_division(float* out, const float* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float d = in[i] + 3.0f, r = 1 / d, q = 1 / (d + 1), x = 0, y = 1;
    for (int k = 0; k < 60; ++k) x += (y + k) * r, y = x * q;
    out[i] = x;
}
