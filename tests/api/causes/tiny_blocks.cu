// small_blocks: blocks of 8 threads; mended: of 256.
// planted_block 8
extern "C" __global__ void planted_tiny_blocks(float* out, const float* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] * 2 + 1;
}
extern "C" __global__ void mended_tiny_blocks(float* out, const float* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] * 2 + 1;
}
