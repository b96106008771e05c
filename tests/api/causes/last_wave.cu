// tail: one block more than the device holds at once (one on each multiprocessor); mended: as many as it holds.
// block 256; planted_grid sms+1; mended_grid sms; shared 150000
extern "C" __global__ void planted_last_wave(float* out, const float* in, int n) {
    extern __shared__ float s[];
    float x = in[blockIdx.x * blockDim.x + threadIdx.x];
    for (int k = 0; k < 600; ++k) {
        s[threadIdx.x] = x;
        x = s[threadIdx.x ^ 32] * 0.5f + 0.25f;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}
extern "C" __global__ void mended_last_wave(float* out, const float* in, int n) {
    extern __shared__ float s[];
    float x = in[blockIdx.x * blockDim.x + threadIdx.x];
    for (int k = 0; k < 600; ++k) {
        s[threadIdx.x] = x;
        x = s[threadIdx.x ^ 32] * 0.5f + 0.25f;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}
