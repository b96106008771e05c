// latency: a single chain of multiply-adds with few warps; mended: eight chains.
// block 128; grid sms
extern "C" __global__ void planted_one_accumulator(float* out, const float* in, int n) {
    float x = in[threadIdx.x], a = in[threadIdx.x + 1];
    for (int k = 0; k < 2000; ++k) x = x * a + 0.5f;
    out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}
extern "C" __global__ void mended_one_accumulator(float* out, const float* in, int n) {
    float x[8], a = in[threadIdx.x + 1];
    for (int j = 0; j < 8; ++j) x[j] = in[threadIdx.x + j];
    for (int k = 0; k < 2000; ++k)
#pragma unroll
        for (int j = 0; j < 8; ++j) x[j] = x[j] * a + 0.5f;
    out[blockIdx.x * blockDim.x + threadIdx.x] = x[0] + x[1] + x[2] + x[3] + x[4] + x[5] + x[6] + x[7];
}
