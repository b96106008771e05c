// divergence: one of four kinds for each element, at random; mended: elements of a kind lie together.
__device__ float by_kind(int kind, float x) {
    if (kind == 0) {
        for (int k = 0; k < 60; ++k) x = x * 0.9f + 0.01f * k;
    } else if (kind == 1) {
        for (int k = 0; k < 40; ++k) x = __cosf(x);
    } else if (kind == 2) {
        for (int k = 0; k < 50; ++k) x = x * x - 0.5f * k;
    } else {
        for (int k = 0; k < 30; ++k) x = rsqrtf(x + 1.0f);
    }
    return x;
}
extern "C" __global__ void planted_sorted(float* out, const float* in, int n) {
    int i = blockIdx.x * 256 + threadIdx.x;
    out[i] = by_kind(int(in[i] * 4) & 3, in[i]);
}
extern "C" __global__ void mended_sorted(float* out, const float* in, int n) {
    int i = blockIdx.x * 256 + threadIdx.x;
    out[i] = by_kind(int(in[i & ~31] * 4) & 3, in[i]);
}
