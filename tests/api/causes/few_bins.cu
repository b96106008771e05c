// global_atomics: a histogram of 64 bins in global memory; mended: in shared memory first.
extern "C" __global__ void planted_few_bins(int* bins, const unsigned* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < 4; ++k) atomicAdd(&bins[in[i + k * n] >> 8 & 63], 1);
}
extern "C" __global__ void mended_few_bins(int* bins, const unsigned* in, int n) {
    __shared__ int own[64 * 8];
    for (int k = threadIdx.x; k < 64 * 8; k += blockDim.x) own[k] = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < 4; ++k) atomicAdd(&own[(in[i + k * n] >> 8 & 63) * 8 + threadIdx.x % 8], 1);
    __syncthreads();
    if (threadIdx.x < 64) {
        int sum = 0;
        for (int k = 0; k < 8; ++k) sum += own[threadIdx.x * 8 + k];
        if (sum) atomicAdd(&bins[threadIdx.x], sum);
    }
}
