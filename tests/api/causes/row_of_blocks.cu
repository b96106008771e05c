// latency: each block waits for the one before, and asks again and again; mended: each reads what it needs.
// block 64; grid 64
extern "C" __global__ void planted_row_of_blocks(float* out, const float* in, int n) {
    volatile unsigned* state = (volatile unsigned*)out + 4096;
    if (threadIdx.x != 0) return;
    if (blockIdx.x > 0)
        while (state[blockIdx.x - 1] != 0x5a5a5a5au) {
        }
    out[blockIdx.x] = in[blockIdx.x] + (blockIdx.x > 0 ? *((volatile float*)out + blockIdx.x - 1) : 0.0f);
    __threadfence();
    state[blockIdx.x] = 0x5a5a5a5au;
}
extern "C" __global__ void mended_row_of_blocks(float* out, const float* in, int n) {
    if (threadIdx.x != 0) return;
    float sum = 0;
#pragma unroll 16
    for (int k = 0; k < 64; ++k)
        if (k <= blockIdx.x) sum += in[k];
    out[blockIdx.x] = sum;
}
