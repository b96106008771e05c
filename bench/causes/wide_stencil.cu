// no_reuse: each thread reads the 65 neighbours of its point from global memory; mended: from shared memory.
extern "C" __global__ void planted_wide_stencil(float* out, const float* in, int n) {
    const int i = blockIdx.x * 256 + threadIdx.x;
    float sum = 0;
    for (int k = 0; k <= 64; ++k) sum += in[i + k] * (0.01f * k);
    out[i] = sum;
}
extern "C" __global__ void mended_wide_stencil(float* out, const float* in, int n) {
    __shared__ float near[320];
    const int t = threadIdx.x, i = blockIdx.x * 256 + t;
    near[t] = in[i];
    if (t < 64) near[256 + t] = in[i + 256];
    __syncthreads();
    float sum = 0;
    for (int k = 0; k <= 64; ++k) sum += near[t + k] * (0.01f * k);
    out[i] = sum;
}
