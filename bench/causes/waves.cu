// slow_math: heights of a sea as a sum of 24 exact sines; mended: fast ones.
extern "C" __global__ void planted_waves(float* out, const float* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i], h = 0.0f;
    for (int k = 1; k <= 24; ++k) h += sinf(x * k + 0.3f * k) / k;
    out[i] = h;
}
extern "C" __global__ void mended_waves(float* out, const float* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i], h = 0.0f;
    for (int k = 1; k <= 24; ++k) h += __fdividef(__sinf(x * k + 0.3f * k), k);
    out[i] = h;
}
