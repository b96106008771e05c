// shared_atomics: most lanes count in the same bin of shared memory; mended: each lane has a copy of the bins.
extern "C" __global__ void planted_same_bin(int* out, const float* in, int n) {
    __shared__ int bins[16];
    if (threadIdx.x < 16) bins[threadIdx.x] = 0;
    __syncthreads();
    for (int k = 0; k < 16; ++k) {
        float x = in[blockIdx.x * 256 * 16 + k * 256 + threadIdx.x];
        atomicAdd(&bins[x > 0.9f ? 1 : 0], 1);
    }
    __syncthreads();
    if (threadIdx.x < 16) out[blockIdx.x * 16 + threadIdx.x] = bins[threadIdx.x];
}
extern "C" __global__ void mended_same_bin(int* out, const float* in, int n) {
    __shared__ int bins[16];
    if (threadIdx.x < 16) bins[threadIdx.x] = 0;
    __syncthreads();
    int high = 0;
    for (int k = 0; k < 16; ++k) high += in[blockIdx.x * 256 * 16 + k * 256 + threadIdx.x] > 0.9f;
    high = __reduce_add_sync(~0u, high);
    if (threadIdx.x % 32 == 0) atomicAdd(&bins[1], high), atomicAdd(&bins[0], 512 - high);
    __syncthreads();
    if (threadIdx.x < 16) out[blockIdx.x * 16 + threadIdx.x] = bins[threadIdx.x];
}
