// shared_atomics: a histogram of 64 bins in shared memory of which four get most; mended: a copy of it for each lane's
// number.
extern "C" __global__ void planted_skewed(int* out, const float* in, int n) {
    __shared__ int bins[64];
    int t = threadIdx.x;
    if (t < 64) bins[t] = 0;
    __syncthreads();
    for (int k = 0; k < 16; ++k) {
        float x = in[(blockIdx.x * 16 + k) * 256 + t];
        atomicAdd(&bins[int(x * x * x * x * x * x * x * x * 63)], 1);
    }
    __syncthreads();
    if (t < 64) out[blockIdx.x * 64 + t] = bins[t];
}
extern "C" __global__ void mended_skewed(int* out, const float* in, int n) {
    __shared__ int bins[64 * 32];
    int t = threadIdx.x;
    for (int k = t; k < 64 * 32; k += 256) bins[k] = 0;
    __syncthreads();
    for (int k = 0; k < 16; ++k) {
        float x = in[(blockIdx.x * 16 + k) * 256 + t];
        atomicAdd(&bins[int(x * x * x * x * x * x * x * x * 63) * 32 + t % 32], 1);
    }
    __syncthreads();
    if (t < 64) {
        int sum = 0;
        for (int k = 0; k < 32; ++k) sum += bins[t * 32 + (k + t) % 32];
        out[blockIdx.x * 64 + t] = sum;
    }
}
