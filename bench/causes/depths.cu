// divergence: each thread goes down a tree, some ten times as far as others; mended: neighbours go down as far.
extern "C" __global__ void planted_depths(float* out, const float* in, int n) {
    const int i = blockIdx.x * 256 + threadIdx.x;
    const int depth = (i * 7) % 32 < 8 ? 160 : 16;
    float x = in[i];
    for (int k = 0; k < depth; ++k) x = x < 0.5f ? fmaf(x, 1.9f, 0.01f) : fmaf(x, -1.9f, 1.91f);
    out[i] = x;
}
extern "C" __global__ void mended_depths(float* out, const float* in, int n) {
    const int i = blockIdx.x * 256 + threadIdx.x;
    const int depth = (i / 32) % 4 == 0 ? 160 : 16;
    float x = in[i];
    for (int k = 0; k < depth; ++k) x = x < 0.5f ? fmaf(x, 1.9f, 0.01f) : fmaf(x, -1.9f, 1.91f);
    out[i] = x;
}
