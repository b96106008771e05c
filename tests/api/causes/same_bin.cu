// shared_atomics: all lanes add numbers to the same words of shared memory; mended: a warp adds up first.
extern "C" __global__ void planted_same_bin(float* out, const float* in, int n) {
    __shared__ float sums[2];
    if (threadIdx.x < 2) sums[threadIdx.x] = 0;
    __syncthreads();
    for (int k = 0; k < 4; ++k) {
        float x = in[blockIdx.x * 1024 + k * 256 + threadIdx.x];
        atomicAdd(&sums[x > 0.9f ? 1 : 0], x);
    }
    __syncthreads();
    if (threadIdx.x < 2) out[blockIdx.x * 2 + threadIdx.x] = sums[threadIdx.x];
}
extern "C" __global__ void mended_same_bin(float* out, const float* in, int n) {
    __shared__ float sums[2];
    if (threadIdx.x < 2) sums[threadIdx.x] = 0;
    __syncthreads();
    float low = 0, high = 0;
    for (int k = 0; k < 4; ++k) {
        float x = in[blockIdx.x * 1024 + k * 256 + threadIdx.x];
        x > 0.9f ? high += x : low += x;
    }
    for (int k = 16; k > 0; k /= 2) low += __shfl_xor_sync(~0u, low, k), high += __shfl_xor_sync(~0u, high, k);
    if (threadIdx.x % 32 == 0) atomicAdd(&sums[1], high), atomicAdd(&sums[0], low);
    __syncthreads();
    if (threadIdx.x < 2) out[blockIdx.x * 2 + threadIdx.x] = sums[threadIdx.x];
}
