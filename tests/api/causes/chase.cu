// latency: each load's address is the result of the one before; mended: eight chains at once in an eighth of the steps.
// block 64; grid 2*sms
extern "C" __global__ void planted_chase(unsigned* out, const unsigned* in, int n) {
    unsigned at = (blockIdx.x * blockDim.x + threadIdx.x) * 8;
    for (int k = 0; k < 64; ++k) at = (at + (in[at & (n * 8 - 1)] & 1) + 4096 * 8 + 8 * 1024 * 1024) & ~7u | (at & 7);
    out[blockIdx.x * blockDim.x + threadIdx.x] = at;
}
extern "C" __global__ void mended_chase(unsigned* out, const unsigned* in, int n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    for (int k = 0; k < 64; ++k) sum += in[(i + k * 16384) & (n * 8 - 1)];
    out[i] = sum;
}
