// latency: each load's address is the result of the one before; mended: addresses that are known beforehand.
extern "C" __global__ void planted_chase(unsigned* out, const unsigned* in, int n) {
    unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < 24; ++k) at = (at + (in[at & (n * 8 - 1)] >> 31) * 32 + 65536) & (n * 8 - 1);
    out[blockIdx.x * blockDim.x + threadIdx.x] = at;
}
extern "C" __global__ void mended_chase(unsigned* out, const unsigned* in, int n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    #pragma unroll
    for (int k = 0; k < 24; ++k) sum += in[(i + k * 65536) & (n * 8 - 1)];
    out[i] = sum;
}
