// global_atomics: a scalar product adds each product to the result; mended: warps and blocks add up first.
extern "C" __global__ void planted_dot(float* out, const float* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(out, in[i] * in[n + i]);
}
extern "C" __global__ void mended_dot(float* out, const float* in, int n) {
    __shared__ float sums[8];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = in[i] * in[n + i];
    for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int k = 1; k < 8; ++k) v += sums[k];
        atomicAdd(out, v);
    }
}
