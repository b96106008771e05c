// small_blocks: an image in blocks of 4 by 4; mended: 32 by 8.
// planted_block 4x4; planted_grid 128x128; mended_block 32x8; mended_grid 16x64
extern "C" __global__ void planted_four_by_four(float* out, const float* in, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    out[y * 512 + x] = 0.25f * (in[y * 512 + x] + in[y * 512 + x + 1] + in[(y + 1) * 512 + x] + in[(y + 1) * 512 + x + 1]);
}
extern "C" __global__ void mended_four_by_four(float* out, const float* in, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    out[y * 512 + x] = 0.25f * (in[y * 512 + x] + in[y * 512 + x + 1] + in[(y + 1) * 512 + x] + in[(y + 1) * 512 + x + 1]);
}
