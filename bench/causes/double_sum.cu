// double_precision: constants of doubles in a sum of floats; mended: as floats.
extern "C" __global__ void planted_double_sum(float* out, const float* in, int n) {
    int i = blockIdx.x * 256 + threadIdx.x;
    float s = 0;
    for (int k = 0; k < 32; ++k) s += in[i + k * n] * 0.25 + 1.0;
    out[i] = s;
}
extern "C" __global__ void mended_double_sum(float* out, const float* in, int n) {
    int i = blockIdx.x * 256 + threadIdx.x;
    float s = 0;
    for (int k = 0; k < 32; ++k) s += in[i + k * n] * 0.25f + 1.0f;
    out[i] = s;
}
