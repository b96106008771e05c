// double_precision: prices of options with constants and functions of doubles over floats; mended: of floats.
extern "C" __global__ void planted_options(float* out, const float* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 50.0 + 100.0 * in[i], x = 60.0 + 50.0 * in[n + i], t = 0.25 + in[2 * n + i];
    float d = (log(s / x) + (0.02 + 0.5 * 0.09) * t) / (0.3 * sqrt(t));
    float k = 1.0 / (1.0 + 0.2316419 * fabs(d));
    float c = 0.39894228 * exp(-0.5 * d * d) * (k * (0.31938153 + k * (-0.356563782 + k * 1.781477937)));
    out[i] = s * c - x * exp(-0.02 * t) * (1.0 - c);
}
extern "C" __global__ void mended_options(float* out, const float* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 50.0f + 100.0f * in[i], x = 60.0f + 50.0f * in[n + i], t = 0.25f + in[2 * n + i];
    float d = (logf(s / x) + (0.02f + 0.5f * 0.09f) * t) / (0.3f * sqrtf(t));
    float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
    float c = 0.39894228f * expf(-0.5f * d * d) * (k * (0.31938153f + k * (-0.356563782f + k * 1.781477937f)));
    out[i] = s * c - x * expf(-0.02f * t) * (1.0f - c);
}
