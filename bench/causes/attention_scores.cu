// no_reuse: scores of queries and keys of 64 numbers, each thread reads both from global memory; mended: tiles.
// block 16x16; grid 32x32
extern "C" __global__ void planted_attention_scores(float* s, const float* in, int n) {
    int key = blockIdx.x * 16 + threadIdx.x, query = blockIdx.y * 16 + threadIdx.y;
    const float *q = in, *k = in + 512 * 64;
    float sum = 0.0f;
    for (int d = 0; d < 64; ++d) sum += q[query * 64 + d] * k[d * 512 + key];
    s[query * 512 + key] = sum * 0.125f;
}
extern "C" __global__ void mended_attention_scores(float* s, const float* in, int n) {
    __shared__ float qs[16][64], ks[64][16];
    int x = threadIdx.x, y = threadIdx.y, key = blockIdx.x * 16 + x, query = blockIdx.y * 16 + y;
    const float *q = in, *k = in + 512 * 64;
    for (int d = 0; d < 64; d += 16) {
        qs[y][d + x] = q[query * 64 + d + x];
        ks[d + y][x] = k[(d + y) * 512 + key];
    }
    __syncthreads();
    float sum = 0.0f;
#pragma unroll
    for (int d = 0; d < 64; ++d) sum += qs[y][d] * ks[d][x];
    s[query * 512 + key] = sum * 0.125f;
}
