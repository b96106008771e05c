// divergence: one lane of each warp works; mended: the same work by threads that follow each other.
__device__ float iterate(float x) {
    for (int k = 0; k < 300; ++k) x = x * x - 0.7f * x + 0.1f;
    return x;
}
extern "C" __global__ void planted_lonely_lanes(float* out, const float* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x % 16 != 0) return;
    out[i / 16] = iterate(in[i / 16]);
}
extern "C" __global__ void mended_lonely_lanes(float* out, const float* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n / 16) return;
    out[i] = iterate(in[i]);
}
