// tail: one block more than the device holds at once (one on each multiprocessor); mended: as many as it holds.
// block 256; planted_grid sms+1; mended_grid sms; shared 150000
extern "C" __global__ void planted_last_wave(float* out, const float* in, int n) {
    extern __shared__ float s[];
    float x = in[blockIdx.x * blockDim.x + threadIdx.x];
    for (int k = 0; k < 3000; ++k) x = x * 0.999f + in[1];
    s[threadIdx.x] = x;
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = s[threadIdx.x ^ 1];
}
extern "C" __global__ void mended_last_wave(float* out, const float* in, int n) {
    extern __shared__ float s[];
    float x = in[blockIdx.x * blockDim.x + threadIdx.x];
    for (int k = 0; k < 3000; ++k) x = x * 0.999f + in[1];
    s[threadIdx.x] = x;
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = s[threadIdx.x ^ 1];
}
