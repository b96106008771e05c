// barriers: one in each short turn, which order nothing; mended: none.
// block 1024
extern "C" __global__ void planted_many_barriers(float* out, const float* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i];
    for (int k = 0; k < 100; ++k) {
        x = x * 0.9f + 0.1f;
        __syncthreads();
    }
    out[i] = x;
}
extern "C" __global__ void mended_many_barriers(float* out, const float* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i];
    for (int k = 0; k < 100; ++k) x = x * 0.9f + 0.1f;
    out[i] = x;
}
