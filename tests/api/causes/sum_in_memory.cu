// no_reuse: the sum is kept in global memory; mended: in a register.
extern "C" __global__ void planted_sum_in_memory(float* out, const float* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = 0;
    for (int k = 0; k < 32; ++k) out[i] += in[(i + k * 32) & (n - 1)] * k;
}
extern "C" __global__ void mended_sum_in_memory(float* out, const float* __restrict__ in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < 4; ++k) sum += in[(i + k * n) & (8 * n - 1)] * k;
    out[i] = sum;
}
