// uncoalesced_store: an FFT's first step stores at the reversed place; mended: in place.
extern "C" __global__ void planted_bit_reversal(float* out, const float* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[__brev(i) >> 14] = in[i] * 0.7071f;
}
extern "C" __global__ void mended_bit_reversal(float* out, const float* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] * 0.7071f;
}
