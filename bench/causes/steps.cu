// barriers: a barrier after each step of a private sum.
extern "C" __global__ void planted_steps(float* o, const float* a, int n) {
    __shared__ float s[256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    s[t] = a[i];
    for (int k = 0; k < 64; k++) {
        s[t] = s[t] * 0.5f + k;
        __syncthreads();
    }
    o[i] = s[t];
}
extern "C" __global__ void mended_steps(float* o, const float* a, int n) {
    __shared__ float s[256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    s[t] = a[i];
    for (int k = 0; k < 64; k++) {
        s[t] = s[t] * 0.5f + k;
        __syncwarp();
    }
    o[i] = s[t];
}
