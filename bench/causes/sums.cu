// global_atomics: each thread adds to one of four sums.
extern "C" __global__ void planted_sums(float* o, const float* a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&o[blockIdx.x & 3], a[i]);
}
extern "C" __global__ void mended_sums(float* o, const float* a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ float w[8];
    float x = a[i];
    for (int d = 16; d; d >>= 1) x += __shfl_down_sync(~0u, x, d);
    if ((threadIdx.x & 31) == 0) w[threadIdx.x / 32] = x;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int k = 1; k < 8; k++) x += w[k];
        atomicAdd(&o[blockIdx.x & 3], x);
    }
}
