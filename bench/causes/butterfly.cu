// bank_conflicts: butterflies of eight steps in shared memory, a thread's two words far apart; mended: places with a word of padding.
extern "C" __global__ void planted_butterfly(float* out, const float* in, int n) {
    __shared__ float v[2048];
    const int t = threadIdx.x;
    for (int k = 0; k < 8; ++k) v[t * 8 + k] = in[blockIdx.x * 256 + t + k];
    __syncthreads();
    for (int round = 0; round < 8; ++round) {
        float a[8];
        for (int k = 0; k < 8; ++k) a[k] = v[t * 8 + k];
        for (int half = 1; half < 8; half *= 2)
            for (int k = 0; k < 8; ++k)
                if (!(k & half)) {
                    const float x = a[k], y = a[k | half];
                    a[k] = x + y, a[k | half] = (x - y) * 0.5f;
                }
        for (int k = 0; k < 8; ++k) v[t * 8 + k] = a[k];
        __syncthreads();
    }
    out[blockIdx.x * 256 + t] = v[(t * 9) & 2047];
}
extern "C" __global__ void mended_butterfly(float* out, const float* in, int n) {
    __shared__ float v[256 * 9];
    const int t = threadIdx.x;
    for (int k = 0; k < 8; ++k) v[t * 9 + k] = in[blockIdx.x * 256 + t + k];
    __syncthreads();
    for (int round = 0; round < 8; ++round) {
        float a[8];
        for (int k = 0; k < 8; ++k) a[k] = v[t * 9 + k];
        for (int half = 1; half < 8; half *= 2)
            for (int k = 0; k < 8; ++k)
                if (!(k & half)) {
                    const float x = a[k], y = a[k | half];
                    a[k] = x + y, a[k | half] = (x - y) * 0.5f;
                }
        for (int k = 0; k < 8; ++k) v[t * 9 + k] = a[k];
        __syncthreads();
    }
    out[blockIdx.x * 256 + t] = v[(t * 9) & 2047];
}
