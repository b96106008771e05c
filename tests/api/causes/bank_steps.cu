// bank_conflicts: threads take words 16 apart in a scratch array, again and again; mended: words side by side.
extern "C" __global__ void planted_bank_steps(float* out, const float* in, int n) {
    __shared__ float s[4096];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    for (int k = t; k < 4096; k += blockDim.x) s[k] = in[(i + k) & (n - 1)];
    __syncthreads();
    float x = 0;
    for (int k = 0; k < 64; ++k) x += s[(t * 16 + k * 5) & 4095];
    out[i] = x;
}
extern "C" __global__ void mended_bank_steps(float* out, const float* in, int n) {
    __shared__ float s[4096];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    for (int k = t; k < 4096; k += blockDim.x) s[k] = in[(i + k) & (n - 1)];
    __syncthreads();
    float x = 0;
    for (int k = 0; k < 64; ++k) x += s[(t + k * 5) & 4095];
    out[i] = x;
}
