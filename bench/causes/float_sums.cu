// shared_atomics: sums of eight kinds by additions of floats in shared memory; mended: in registers, merged once.
extern "C" __global__ void planted_float_sums(float* out, const float* in, int n) {
    __shared__ float sums[8];
    const int t = threadIdx.x;
    if (t < 8) sums[t] = 0;
    __syncthreads();
    for (int k = 0; k < 16; ++k) {
        const float x = in[k * n + blockIdx.x * 256 + t];
        atomicAdd(&sums[(int)(x * 8)], x);
    }
    __syncthreads();
    if (t < 8) out[blockIdx.x * 8 + t] = sums[t];
}
extern "C" __global__ void mended_float_sums(float* out, const float* in, int n) {
    __shared__ float parts[8][8];
    const int t = threadIdx.x;
    float own[8] = {};
    for (int k = 0; k < 16; ++k) {
        const float x = in[k * n + blockIdx.x * 256 + t];
        const int kind = (int)(x * 8);
#pragma unroll
        for (int j = 0; j < 8; ++j) own[j] += kind == j ? x : 0.0f;
    }
#pragma unroll
    for (int j = 0; j < 8; ++j) {
        for (int step = 16; step > 0; step /= 2) own[j] += __shfl_down_sync(~0u, own[j], step);
        if (t % 32 == 0) parts[j][t / 32] = own[j];
    }
    __syncthreads();
    if (t < 8) {
        float sum = 0;
        for (int w = 0; w < 8; ++w) sum += parts[t][w];
        out[blockIdx.x * 8 + t] = sum;
    }
}
