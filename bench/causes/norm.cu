// shared_atomics: the norm of each row of 256 is summed by atomics of floats in shared memory; mended: by shuffles.
extern "C" __global__ void planted_norm(float* out, const float* in, int n) {
    __shared__ float sum;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0) sum = 0.0f;
    __syncthreads();
    float v = in[i];
    atomicAdd(&sum, v * v);
    __syncthreads();
    out[i] = v * rsqrtf(sum);
}
extern "C" __global__ void mended_norm(float* out, const float* in, int n) {
    __shared__ float sums[8];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = in[i], q = v * v;
    for (int d = 16; d > 0; d /= 2) q += __shfl_xor_sync(0xffffffffu, q, d);
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = q;
    __syncthreads();
    float sum = 0.0f;
    for (int k = 0; k < 8; ++k) sum += sums[k];
    out[i] = v * rsqrtf(sum);
}
