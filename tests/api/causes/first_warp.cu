// imbalance: the first warp of a block does what all could; mended: all do.
extern "C" __global__ void planted_first_warp(float* out, const float* in, int n) {
    int first = blockIdx.x * blockDim.x;
    if (threadIdx.x < 32)
        for (unsigned i = threadIdx.x; i < blockDim.x; i += 32) {
            float x = in[first + i];
            for (int k = 0; k < 40; ++k) x = x * 0.9f + 0.1f;
            out[first + i] = x;
        }
}
extern "C" __global__ void mended_first_warp(float* out, const float* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i];
    for (int k = 0; k < 40; ++k) x = x * 0.9f + 0.1f;
    out[i] = x;
}
