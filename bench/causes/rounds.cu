// instruction_cache: 3,000 unrolled rounds of a mixing function in a loop; mended: unrolled eight times.
extern "C" __global__ void planted_rounds(unsigned* out, const unsigned* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned a = in[i], b = a * 3u;
    for (int r = 0; r < 2; ++r) {
#pragma unroll
        for (int k = 0; k < 3000; ++k) a = (a ^ (b + k * 2654435761u)) * 5u, b = (b ^ (a >> 7)) + a;
    }
    out[i] = a ^ b;
}
extern "C" __global__ void mended_rounds(unsigned* out, const unsigned* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned a = in[i], b = a * 3u;
    for (int r = 0; r < 2; ++r) {
#pragma unroll 8
        for (int k = 0; k < 3000; ++k) a = (a ^ (b + k * 2654435761u)) * 5u, b = (b ^ (a >> 7)) + a;
    }
    out[i] = a ^ b;
}
