// imbalance: thread i compares its point with all that follow it; mended: with the 1,024 that follow it, around the end.
// grid 128; block 64
extern "C" __global__ void planted_pairs_above(float* out, const float* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i], near = 0.0f;
    for (int j = i + 1; j < 8192; ++j) near += fabsf(in[j] - x) < 0.01f ? 1.0f : 0.0f;
    out[i] = near;
}
extern "C" __global__ void mended_pairs_above(float* out, const float* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i], near = 0.0f;
    for (int j = 1; j < 4096; ++j) near += fabsf(in[(i + j) & 8191] - x) < 0.01f ? 1.0f : 0.0f;
    out[i] = near;
}
