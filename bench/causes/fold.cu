// imbalance: one warp of eight folds what the others left.
extern "C" __global__ void planted_fold(float* o, const float* a, int n) {
    __shared__ float s[256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    s[t] = a[i];
    __syncthreads();
    if (t < 32) {
        float x = 0;
        for (int r = 0; r < 40; r++)
            for (int k = t; k < 256; k += 32) x += s[k] * r;
        s[t] = x;
    }
    __syncthreads();
    o[i] = s[t & 31];
}
extern "C" __global__ void mended_fold(float* o, const float* a, int n) {
    __shared__ float s[256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    s[t] = a[i];
    __syncthreads();
    float x = 0;
    for (int r = 0; r < 40; r++) x += s[t] * r;
    s[t] = x;
    __syncthreads();
    o[i] = s[t & 31] + s[(t & 31) + 32];
}
