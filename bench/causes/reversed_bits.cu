// uncoalesced_load: values are read in the order of their reversed numbers; mended: in their own order.
extern "C" __global__ void planted_reversed_bits(float* out, const float* in, int n) {
    const unsigned i = blockIdx.x * 256 + threadIdx.x;
    float sum = 0;
    for (unsigned k = 0; k < 8; ++k) sum += in[k * n + (__brev(i) >> 14)] * (k + 1);
    out[i] = sum;
}
extern "C" __global__ void mended_reversed_bits(float* out, const float* in, int n) {
    const unsigned i = blockIdx.x * 256 + threadIdx.x;
    float sum = 0;
    for (unsigned k = 0; k < 8; ++k) sum += in[k * n + i] * (k + 1);
    out[i] = sum;
}
