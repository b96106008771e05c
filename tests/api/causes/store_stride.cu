// uncoalesced_store: every eighth word is written; mended: the words follow each other.
extern "C" __global__ void planted_store_stride(float* out, const float* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[8 * i] = 2.0f * in[i];
}
extern "C" __global__ void mended_store_stride(float* out, const float* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = 2.0f * in[i];
}
