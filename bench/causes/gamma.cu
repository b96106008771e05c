// slow_math: gamma correction of eight samples of a pixel row by powf; mended: by __powf.
// grid 512
extern "C" __global__ void planted_gamma(float* out, const float* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < 8; ++k) sum += powf(in[k * 131072 + i], 1.0f / 2.2f);
    out[i] = sum;
}
extern "C" __global__ void mended_gamma(float* out, const float* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < 8; ++k) sum += __powf(in[k * 131072 + i], 1.0f / 2.2f);
    out[i] = sum;
}
