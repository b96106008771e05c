// latency: each warp follows a chain of chunks, whose first word tells the next; mended: the chunks' places are known.
// grid 256
extern "C" __global__ void planted_chained_chunks(float* out, const float* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, chunk = i / 32, lane = threadIdx.x % 32;
    float sum = 0.0f;
    for (int k = 0; k < 32; ++k) {
        float v = in[chunk * 32 + lane];
        sum += v;
        chunk = (int)(__shfl_sync(0xffffffffu, v, 0) * 200000.0f);
    }
    out[i] = sum;
}
extern "C" __global__ void mended_chained_chunks(float* out, const float* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, chunk = i / 32, lane = threadIdx.x % 32;
    float sum = 0.0f;
#pragma unroll 8
    for (int k = 0; k < 32; ++k) sum += in[((chunk + k * 6151) % 200000) * 32 + lane];
    out[i] = sum;
}
